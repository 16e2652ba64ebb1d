//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ACKNOWLEDGEMENT_HPP
#define HOLDFAST_ENGINE_ACKNOWLEDGEMENT_HPP

#include <cstdint>
#include <string_view>

#include <boost/intrusive/list_hook.hpp>

#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"

namespace holdfast::engine {

class lock_spec;

// Whether replicas have what a command wrote.
struct acknowledgement {
    enum class kind : std::uint8_t {
        given,    // as many as config::acknowledged_by have it
        missing,  // too few of them in time, or the link was lost: a failover may lose it
        denied,   // the server will go on refusing the question: the user lacks a permission
        unknown,  // the epoch of the command has ended, or its lock is at another server: its outcome is unknown
    };

    kind what = kind::unknown;
    error_code error = {};        // denied: the reason
    std::string_view words = {};  // missing, denied: what happened; valid during the call
};

// A command that was applied, and that counts when replicas have it. Its owner may destroy it at any time.
class acknowledgement_waiter : public boost::intrusive::list_base_hook<
                                   boost::intrusive::tag<acknowledgement_waiter>,
                                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    // Once, on the strand, never inside acknowledging::await(). The object may wait again, or be destroyed, in the
    // call.
    virtual void on_acknowledged(acknowledgement const&) = 0;

protected:
    ~acknowledgement_waiter() = default;

private:
    friend class acknowledger;

    lock_spec const* lock_ = nullptr;
    core::duration lease_{};
    core::instant sent_{};
};

// What asks the replicas of one server: acknowledger implements it. On the strand.
class acknowledging {
public:
    virtual ~acknowledging() = default;

    virtual void start() = 0;
    // Forgets all who wait, without a call. Idempotent.
    virtual void stop() noexcept = 0;

    // The waiter waits for the acknowledgement of a command for that lock, which the session sent at that time and
    // whose reply has come. The lock must outlive the wait.
    virtual void await(acknowledgement_waiter&, lock_spec const&, core::duration lease, core::instant sent) = 0;

    // The epoch of the session. At its end all who wait get `unknown`; call it before their owners learn of the end.
    virtual void on_session_open() = 0;
    virtual void on_session_closed() = 0;
    // These slots have another server.
    virtual void on_moved(core::slot_set const&) = 0;
};

}  // namespace holdfast::engine

#endif
