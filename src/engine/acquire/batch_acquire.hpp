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

namespace holdfast::engine {

class contender;
class releaser;
class runtime;

// The tries of contenders who want their locks together or not at all: sent as one script, which grants all or none of
// them. It gathers while its contenders join; those whose arbiter asks for somebody else just then, or whose protocol
// knows no such script, have their tries sent alone. Kept by the acquisitions whose tries it carries.
class batch_acquire final : public core::pooled<batch_acquire>,
                            public boost::intrusive_ref_counter<batch_acquire, boost::thread_unsafe_counter>,
                            private script_call {
public:
    batch_acquire(runtime& r, releaser& to_flush) noexcept : runtime_(r), releaser_(to_flush) {}

    // True: this try for that contender leaves with the others', and `tried` is told its answer.
    bool take(contender&, command& tried, attempt const&);

    // Ends the gathering. Its contenders know it no more.
    void send();
    // The others cannot be had: nothing is sent, and the contenders are told operation_aborted.
    void call_off();

private:
    struct part {
        boost::intrusive_ptr<contender> who;
        command* tried;
        attempt what;
    };

    void submit(session&, command&, script_form) override;
    bool is_wanted() const override;
    void on_reply(answer const&) override;
    void on_applied(answer const&);
    void on_held(part const&, answer const&);
    part const* held_part(reply const&) const noexcept;
    void tell_all(answer const&);

    runtime& runtime_;
    releaser& releaser_;
    boost::container::small_vector<part, 8> parts_;
};

}  // namespace holdfast::engine

#endif
