//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ATTEMPT_CALL_HPP
#define HOLDFAST_ENGINE_ATTEMPT_CALL_HPP

#include <cstdint>
#include <optional>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/clock.hpp"
#include "engine/acquire/batch_acquire.hpp"
#include "engine/acquire/probe.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/runtime/acknowledgement.hpp"

namespace holdfast::engine {

class contender;
class grant;
class runtime;
enum class shard_id : std::uint16_t;

class attempt_listener {
public:
    // The reply to the attempt has come; those of a probe may follow. The answer is valid during the call.
    virtual void on_answered(answer const&, acquire_result const&) = 0;
    // All replies have come, and the acknowledgement of a grant. May destroy the call.
    virtual void on_result(acquire_result) = 0;

protected:
    ~attempt_listener() = default;
};

// The commands of one attempt at a time: the attempt itself, which a batch may carry, and a probe that may go with it.
// Their replies together make one result. With config::acknowledged_by, a grant is a result when replicas have it. On
// the strand.
class attempt_call final : private acknowledgement_waiter {
public:
    attempt_call(runtime& r, attempt_listener& to) noexcept : runtime_(r), to_(to) {}
    attempt_call(attempt_call const&) = delete;
    attempt_call& operator=(attempt_call const&) = delete;

    // Sends a probe with the attempt that follows. Without a probe, assume() sets the time after which the present
    // grant ends.
    void add_probe(lock_spec const&);
    void assume(core::duration remaining) noexcept { probe_.guess(remaining); }
    // Sends an attempt for the head with the token of that grant, which stays until the result: the head may leave
    // before. Preconditions: no attempt is under way, and the session is open.
    void send(contender& head, grant const&, attempt const&, script_form);
    // How an attempt is sent after acquire_result::kind::no_script.
    script_form repeated_form() const noexcept { return form_; }
    // Sends it to the server that imports the hash slot, after acquire_result::kind::asked, or again after NOSCRIPT of
    // that server. Precondition: can_ask().
    void send_asking(grant const&, attempt const&);
    bool can_ask() const;
    // Whether the last answer is of that server, which does not have the slot yet.
    bool has_asked() const noexcept { return asked_.has_value(); }
    // Whether the last attempt was refused because the hash slot is being moved key by key.
    bool is_in_open_slot() const noexcept { return is_of_open_slot(reported_); }

    // One of the replies to the probe has come. May destroy the call, and the probe with it.
    void on_probed() { on_reply(); }

    // What the server said when it refused the last attempt; null: it did not refuse it.
    detail::error_text const& words() const noexcept { return words_; }
    // Why the last attempt was not answered as granted or busy; errc::unavailable if the server has given no reason, or
    // one that has ended the contenders which it concerned.
    detail::described_error failure() const
    {
        if (result_.what == acquire_result::kind::failed)
            return errc::unavailable;
        return {result_.error ? result_.error : error_code(errc::unavailable), words_};
    }
    // The send of the last attempt that has a reply.
    core::instant sent() const noexcept { return sent_; }
    // Busy: after what time the lock may become free without a message.
    core::duration remaining() const noexcept { return result_.is_mute ? probe_.remaining() : result_.remaining; }

private:
    void submit(session&, attempt const&, script_form);
    void on_attempted(answer const&);
    void on_acknowledged(acknowledgement const&) override;
    acquire_result read(answer const&);
    void report(refusal why, std::string_view words);
    void on_reply();
    bool must_be_acknowledged() const noexcept;
    bool is_held_for_ever() noexcept;
    void give_back(acknowledgement const&);

    runtime& runtime_;
    attempt_listener& to_;
    probe probe_{*this};
    command_of<attempt_call, &attempt_call::on_attempted> command_{*this};
    boost::intrusive_ptr<batch_acquire> batch_;  // carries the attempt under way; kept until its reply
    lock_spec const* lock_ = nullptr;            // of the grant
    shard_id at_{};                              // to which the attempt was sent
    std::optional<shard_id> asked_;              // the server that ASK has named; none: it has not
    acquire_result result_;
    detail::error_text words_;
    script_form form_ = script_form::sha1;  // of the attempt that follows NOSCRIPT or ASK
    core::instant sent_{};
    core::duration lease_{};
    core::instant lasts_since_ =
        core::never;                    // when the lock was first found without a time to live; never: it has one
    bool looks_again_ = false;          // the lock is waited for if this attempt is refused
    bool is_probed_ = false;            // a probe goes with this attempt
    refusal reported_ = refusal::none;  // why the last attempt was refused
    std::uint8_t awaited_ = 0;          // replies to the attempt and its probe
};

}  // namespace holdfast::engine

#endif
