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

class push_receiver {
public:
    virtual void on_message(std::string_view channel) = 0;
    // A reply to nothing.
    virtual void on_unsolicited(std::string_view words) = 0;

protected:
    ~push_receiver() = default;
};

// Reads what the server sends unasked, as it is parsed: of messages, the channel; other pushes are ignored. Whatever
// is no push is out of step with our commands and fails the connection.
class push_reader {
public:
    explicit push_reader(push_receiver& to) noexcept : to_(to) {}

    void on_node(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void on_done();

private:
    // How Boost.Redis reaches a receiver of pushes.
    struct adapter {
        push_reader* reader;
        void on_init() {}
        void on_node(boost::redis::resp3::node_view const& n, boost::system::error_code& ec) { reader->on_node(n, ec); }
        void on_done() { reader->on_done(); }
    };

    friend adapter boost_redis_adapt(push_reader& r) noexcept { return {&r}; }

    push_receiver& to_;
    std::size_t element_ = 0;
    bool is_message_ = false;
    std::string channel_;  // copied: the parser may move its buffer before the end of the push
};

}  // namespace holdfast::redis

#endif
