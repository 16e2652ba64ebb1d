//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_BATCH_ACQUIRE_HPP
#define HOLDFAST_ENGINE_BATCH_ACQUIRE_HPP

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "core/pooled.hpp"
#include "engine/port/command.hpp"
#include "engine/port/script_call.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/release/releaser.hpp"

namespace holdfast::engine {

class contender;
class releaser;
class runtime;

// The attempts of contenders that want their locks together or not at all, sent as one script that grants all of them
// or none. client_batch creates a batch, lets the contenders join while it gathers their attempts, and sends it. An
// attempt is sent alone if the arbiter serves another contender just then, or if the lock's protocol has no such
// script. A script has 500 locks at most: the server executes nothing else meanwhile. On a server with hash slots each slot
// has a script of its own, because the server refuses keys of several slots (CROSSSLOT). If a lock of one script is held,
// those of the others may be granted for a moment. The acquisitions whose attempts the batch carries keep it alive.
class batch_acquire final : public core::pooled<batch_acquire>,
                            public boost::intrusive_ref_counter<batch_acquire, boost::thread_unsafe_counter>,
                            private script_call {
public:
    batch_acquire(runtime& r, releaser& to_flush) noexcept : runtime_(r), releaser_(to_flush) {}

    // Takes the attempt for that contender into the batch; `tried` receives its result as an answer, as if it had been
    // sent alone. False: the attempt does not fit, and the caller sends it. The views in the attempt must stay valid
    // until the answer.
    bool take(contender&, command& tried, attempt const&);

    // Ends the gathering and submits what was gathered. The contenders do not refer to the batch from here on.
    // Precondition: the session is open if an attempt was gathered.
    void send();
    // Another member of the composite lock is not free: nothing is sent, and the contenders complete with
    // operation_aborted.
    void call_off();

private:
    struct part {
        boost::intrusive_ptr<contender> waiter;
        command* tried;
        attempt what;
    };

    bool is_for_another_script(lock_spec const&) const;
    batch_acquire& another_script();
    void submit(session&, command&, script_form) override;
    bool is_wanted() const override;
    void on_reply(answer const&) override;
    void on_applied(answer const&);
    void on_held(part const&, answer const&);
    bool has_overtaken(part const& held) const;
    part const* held_part(reply const&) const noexcept;
    void answer_all(answer const&);

    runtime& runtime_;
    releaser& releaser_;
    overtaken_count overtaken_ = 0;  // when it was submitted
    boost::container::small_vector<part, 8> parts_;
    boost::intrusive_ptr<batch_acquire> next_;  // another script; gathered, sent and called off with this one
};

}  // namespace holdfast::engine

#endif
