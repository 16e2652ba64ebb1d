//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_WORLD_HPP
#define HOLDFAST_TESTING_WORLD_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "testing/value.hpp"

namespace holdfast::simulated {

// What comes back over a link. On the session's strand, never from inside link::send().
class link_events {
public:
    virtual void on_connected() = 0;
    virtual void on_reply(value const&) = 0;
    virtual void on_push(value const&) = 0;
    virtual void on_disconnected(boost::system::error_code) = 0;

protected:
    ~link_events() = default;
};

// One connection as its client sees it. On the strand.
class link {
public:
    virtual ~link() = default;

    // One command, copied; it leaves at flush() with all that were sent before, in order.
    virtual void send(words) = 0;
    virtual void flush() = 0;

    // No event from here on. What has left may still reach the server.
    virtual void close() noexcept = 0;
};

// How a simulated session sees the world: time, chance, and the way to its server.
class world {
public:
    virtual ~world() = default;

    virtual core::instant now() const noexcept = 0;  // any thread

    // Calls back on the session's strand, not before that instant, and never from inside at().
    virtual void at(core::instant, std::function<void()>) = 0;

    // Forgets all that at() was asked for.
    virtual void stop() noexcept = 0;

    // Begins to connect. The link tells its events only while they live.
    virtual std::shared_ptr<link> dial(std::weak_ptr<link_events>) = 0;

    virtual std::uint64_t random() noexcept = 0;
    virtual std::array<std::uint8_t, 16> identity() = 0;
    virtual std::uint64_t incarnation() const noexcept = 0;

    // False only in a test that shows what rule 10 is for: subscriptions then go out without their guard.
    virtual bool guards_subscriptions() const noexcept { return true; }
};

}  // namespace holdfast::simulated

#endif
