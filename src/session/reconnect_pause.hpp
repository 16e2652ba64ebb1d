//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_RECONNECT_PAUSE_HPP
#define HOLDFAST_SESSION_RECONNECT_PAUSE_HPP

#include <chrono>
#include <cstdint>

#include "core/backoff.hpp"

namespace holdfast::session {

// Why a connection ended, or could not be opened, as far as the pause before the next one depends on it.
enum class end_cause : std::uint8_t {
    lost,         // the transport failed, or the server cannot serve this client now
    permanent,    // another attempt will not help: a wrong password of the URL must not lead to a storm of attempts
    moved,        // the server is another one now, which is known
    credentials,  // the provider yielded no credentials, or the server refused them
};

// The pauses between connections. Those of each cause grow by themselves.
class reconnect_pause {
public:
    // A connection that ends earlier counts as a failure to connect. A replica, for example, accepts each connection
    // and refuses the first write on it.
    static constexpr core::duration settling_time = std::chrono::seconds(1);

    constexpr core::duration next(end_cause why, std::uint64_t random) noexcept
    {
        switch (why) {
            case end_cause::permanent: return permanent_.next(random);
            case end_cause::credentials: return credentials_.next(random);
            case end_cause::moved: return {};
            case end_cause::lost: break;
        }
        return lost_.next(random);
    }

    // The server has accepted this client.
    constexpr void on_open() noexcept
    {
        permanent_.reset();
        credentials_.reset();
    }

    // A connection that was open for that long has ended. After early ends the pauses grow: a server that accepts each
    // connection and then closes it would otherwise cause a storm of connections.
    constexpr void on_end_after(core::duration open) noexcept
    {
        ended_early_ = open < settling_time;
        if (!ended_early_)
            lost_.reset();
    }

    // Whether the last connection ended early.
    constexpr bool ended_early() const noexcept { return ended_early_; }

private:
    bool ended_early_ = false;
    core::backoff lost_{std::chrono::milliseconds(50), std::chrono::seconds(2)};
    core::backoff permanent_{std::chrono::seconds(1), std::chrono::seconds(5)};
    core::backoff credentials_{std::chrono::milliseconds(100), std::chrono::seconds(5)};
};

}  // namespace holdfast::session

#endif
