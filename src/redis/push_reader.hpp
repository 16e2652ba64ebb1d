//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_PUSH_READER_HPP
#define HOLDFAST_REDIS_PUSH_READER_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/redis/resp3/node.hpp>
#include <boost/system/error_code.hpp>

namespace holdfast::redis {

// Receives what a push_reader has read.
class push_receiver {
public:
    virtual void on_message(std::string_view channel) = 0;
    virtual void on_subscribed(std::string_view channel) = 0;
    virtual void on_unsubscribed(std::string_view channel) = 0;
    // A reply arrived although no request waits for one: the connection fails. `words`: its text.
    virtual void on_unsolicited(std::string_view words) = 0;

protected:
    ~push_receiver() = default;
};

// Reads the pushes while they are parsed: of messages, and of the confirmations of sharded subscriptions, it reports
// the channel; other pushes it ignores. Boost.Redis also passes a reply here for which no request waits. Such a reply
// means that replies and commands are out of step, so the reader reports an error, which ends the connection.
class push_reader {
public:
    explicit push_reader(push_receiver& to) noexcept : to_(to) {}

    void on_node(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void on_done();

private:
    // The interface that Boost.Redis requires of a receiver of pushes.
    struct adapter {
        push_reader* reader;
        void on_init() {}
        void on_node(boost::redis::resp3::node_view const& n, boost::system::error_code& ec) { reader->on_node(n, ec); }
        void on_done() { reader->on_done(); }
    };

    friend adapter boost_redis_adapt(push_reader& r) noexcept { return {&r}; }

    push_receiver& to_;
    using event = void (push_receiver::*)(std::string_view channel);
    static event event_of(std::string_view kind) noexcept;

    std::size_t element_ = 0;  // how many elements of the push have been read
    event event_ = nullptr;    // null: to be ignored
    std::string channel_;      // a copy: the parser may reallocate its buffer before the end of the push
};

}  // namespace holdfast::redis

#endif
