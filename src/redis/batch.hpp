//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_BATCH_HPP
#define HOLDFAST_REDIS_BATCH_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/redis/adapter/any_adapter.hpp>
#include <boost/redis/request.hpp>
#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "engine/command.hpp"
#include "redis/reply_reader.hpp"

namespace holdfast::redis {

// Why we made a connection fail while we read from it.
struct fault {
    enum class kind : std::uint8_t {
        none,
        refused_subscription,  // an error stood where the guard's PONG belongs
        read_only,             // the server is a master no more
        malformed,             // a reply that makes no sense
        unsolicited,           // a reply to nothing, such as "max number of clients reached"
    };

    kind what = kind::none;
    engine::refusal why = engine::refusal::none;
    std::string words;  // the server's
};

// The commands that were submitted in one turn of the loop: one request to Boost.Redis, whose cost is per request.
// Reads the replies as they are parsed and hands each one to its command.
//
// A subscription has no reply of its own, only a push. When the server refuses it, the error takes the place of the
// next reply, and every later reply would go to the wrong command. So a PING follows each subscription, and anything
// but its PONG fails the connection there and then. Subscriptions in a row are one command with one guard.
class batch {
public:
    explicit batch(fault& f) : fault_(f), request_(request_config()) {}
    batch(batch const&) = delete;
    batch& operator=(batch const&) = delete;

    void add(engine::command&, std::span<std::string_view const> words);
    void add_subscription(std::string_view verb, std::string_view channel);
    bool subscribes() const noexcept { return subscribes_; }
    bool empty() const noexcept { return slots_.empty() && channels_.empty(); }

    // Before it is handed to the connection.
    void seal(core::instant sent, core::instant deadline);
    core::instant deadline() const noexcept { return deadline_; }
    boost::redis::request const& request() const noexcept { return request_; }
    boost::redis::any_adapter adapter();

    // Their outcome is unknown; replies that still come are read and dropped.
    void give_up();
    bool is_given_up() const noexcept { return given_up_; }

    // Nobody is to be told any more.
    void forget() noexcept;

    // The connection is not to be trusted any more: the next reply fails it.
    void distrust() noexcept { distrusted_ = true; }

    // Ready to be filled again, with its memory.
    void clear() noexcept;

private:
    struct slot {
        engine::command* waiting;  // null: nobody, or a guard
        bool is_guard;
    };

    static boost::redis::request::config request_config();

    void push_subscriptions();
    void read(boost::redis::resp3::node_view const&, boost::system::error_code&);
    void read_guard(reply_reader::progress, boost::system::error_code&);
    void read_answer(reply_reader::progress, boost::system::error_code&);
    void fail(fault::kind, boost::system::error_code&);
    void answer_next(engine::answer const&);

    fault& fault_;
    boost::redis::request request_;
    std::vector<slot> slots_;
    std::string verb_;                   // of the subscriptions in a row ...
    std::vector<std::string> channels_;  // ... that are not yet in the request
    std::size_t next_ = 0;               // the slot that the next reply belongs to
    reply_reader reader_;
    core::instant sent_{};
    core::instant deadline_{};
    bool subscribes_ = false;
    bool given_up_ = false;
    bool distrusted_ = false;
};

}  // namespace holdfast::redis

#endif
