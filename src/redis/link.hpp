//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_LINK_HPP
#define HOLDFAST_REDIS_LINK_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>
#include <boost/redis/config.hpp>
#include <boost/redis/request.hpp>
#include <boost/system/error_code.hpp>

#include "engine/log.hpp"
#include "engine/strand.hpp"
#include "redis/batch.hpp"
#include "redis/greeting.hpp"

namespace holdfast::redis {

class link;

// What a link tells its session: on the strand, never from inside a call of a member of the link.
class link_owner {
public:
    virtual void on_greeted(link&) = 0;
    virtual void on_barrier(link&) = 0;
    virtual void on_finished(std::shared_ptr<batch> const&, boost::system::error_code) = 0;
    virtual void on_message(link&, std::string_view channel) = 0;
    // A reply to nothing: the server has something to say against this connection, which ends.
    virtual void on_unsolicited(link&, std::string_view words) = 0;
    // The connection is lost, or could not be made.
    virtual void on_ended(link&, boost::system::error_code) = 0;

    // Held by every pending operation.
    virtual std::shared_ptr<link_owner> keep() = 0;

protected:
    ~link_owner() = default;
};

// One connection of Boost.Redis, from the attempt to connect until it is lost: the life of an epoch. Boost.Redis could
// reconnect the same object, but it closes the old socket only when it opens the next, and a UNIX socket is out of our
// reach; a link closes its socket by ending.
//
// Every pending handler keeps the link and its owner alive; neither keeps the other. So an execution context that is
// destroyed with handlers still pending leaves nothing behind.
class link : public std::enable_shared_from_this<link> {
public:
    static std::shared_ptr<link> make(
        engine::strand const&, boost::asio::ssl::context, engine::log const&, link_owner&, redis::greeting);

    virtual ~link() = default;

    // Connects and greets: on_greeted() or on_ended() follows.
    virtual void start(boost::redis::config const&) = 0;

    // Ends an earlier connection, whose bytes could still land. on_barrier() follows, or on_ended() when the
    // server is too busy for it.
    virtual void kill(std::uint64_t connection_number) = 0;

    // on_finished() follows.
    virtual void execute(std::shared_ptr<batch>) = 0;

    // Closes; on_ended() follows. What was not sent yet will not be: see SO_LINGER in socket(7).
    virtual void abort() = 0;

    virtual redis::greeting const& greeting() const noexcept = 0;

    // After on_ended(): the words of a server that would not have us, else empty.
    virtual std::string refusal(boost::system::error_code) const = 0;

    // After on_ended(): the code in words, with the reason why a certificate was not accepted.
    virtual std::string description(boost::system::error_code) = 0;
};

}  // namespace holdfast::redis

#endif
