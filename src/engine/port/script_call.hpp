//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_CALL_HPP
#define HOLDFAST_ENGINE_SCRIPT_CALL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>

#include "core/pooled.hpp"
#include "engine/port/command.hpp"
#include "engine/port/log.hpp"
#include "engine/port/session.hpp"

namespace holdfast::engine {

// One call of a script, alone or in a batch.
//
// | state            | event                                    | next    | action                                      |
// |------------------|------------------------------------------|---------|---------------------------------------------|
// | idle             | send()                                   | by_sha1 | submits EVALSHA                             |
// | idle             | a batch adds it                          | batched |                                             |
// | by_sha1          | NOSCRIPT, wanted, the session is open    | by_text | submits EVAL: a new decision (rule 7)       |
// | by_sha1          | NOSCRIPT, otherwise                      | idle    | on_reply(refused, NOSCRIPT): not applied    |
// | by_sha1, by_text | any other answer                         | idle    | on_reply(answer)                            |
// | batched          | its part of the batch's reply            | idle    | on_reply(part)                              |
// | batched          | the batch is refused for a member's sake | by_sha1 | submits EVALSHA, if wanted; else as NOSCRIPT|
// | batched          | the batch has no reply for its members   | idle    | on_reply(answer to the batch)               |
//
// Its address is with the session or the batch until on_reply(); it must live so long.
class script_call : protected command {
public:
    enum class state : std::uint8_t { idle, batched, by_sha1, by_text };

    state current_state() const noexcept { return state_; }
    bool is_under_way() const noexcept { return state_ != state::idle; }

    // Sends it alone. Preconditions: it is idle; the session is open.
    void send(session&);

protected:
    // What the script replies to a call of one: the value itself, or, as to a batch, a list with a part for each call.
    enum class reply_shape : std::uint8_t { value, list };

    explicit script_call(reply_shape shape = reply_shape::value) noexcept : shape_(shape) {}
    ~script_call() = default;

    // Submits the command of this call alone, in that form.
    virtual void submit(session&, command&, script_form) = 0;

    // Read before it is sent again in another form: after a refusal, that is a new decision.
    virtual bool is_wanted() const = 0;

    // The outcome. The call is idle: it may be sent again, or destroyed.
    virtual void on_reply(answer const&) = 0;

private:
    friend class script_batch;

    void on_answer(answer const&) final;
    void finish(answer const&);

    session* to_ = nullptr;
    state state_ = state::idle;
    reply_shape const shape_;
};

// KEYS and ARGV of a batch.
struct script_words {
    boost::container::small_vector<std::string_view, 64> keys;
    boost::container::small_vector<std::string_view, 128> arguments;
};

// A call that may travel with others of its kind.
class batchable_call : public script_call {
public:
    // What it adds to KEYS and ARGV. The views must stay valid until it is idle.
    virtual void add_to(script_words&) const = 0;

protected:
    using script_call::script_call;
    ~batchable_call() = default;
};

class script_batches;

// Several calls as one command, whose script replies a list with a part for each. The members are told what they would
// have been told alone.
//
// | state            | event                                          | next      | action                                |
// |------------------|------------------------------------------------|-----------|---------------------------------------|
// | gathering        | sent with one member                           | ended     | the member is sent alone              |
// | gathering        | sent with several                              | by_sha1   | submits EVALSHA                       |
// | gathering        | call_off()                                     | ended     | each is told: refused, not now        |
// | by_sha1          | NOSCRIPT, a member is wanted, session open     | by_text   | submits EVAL for those that are wanted|
// | by_sha1          | NOSCRIPT, otherwise                            | ended     | each is told                          |
// | by_sha1, by_text | a list with a part for each                    | ended     | each is told its part                 |
// | by_sha1, by_text | any other reply                                | ended     | no more batches; each is told: unknown|
// | by_sha1, by_text | refused for a member's sake (is_passing() is   | ended     | no more batches; each is sent alone,  |
// |                  | false: NOPERM of one key, CROSSSLOT ...)       |           | if it is still wanted                 |
// | by_sha1, by_text | refused for the server's sake (BUSY, OOM ...)  | ended     | each is told                          |
// | by_sha1, by_text | unknown                                        | ended     | each is told                          |
//
// After a reply of a wrong shape nobody knows what was applied, so the members are not sent again from here.
class script_batch final : public core::pooled<script_batch>,
                           public boost::intrusive::list_base_hook<>,
                           private command {
public:
    enum class state : std::uint8_t { gathering, by_sha1, by_text };

    script_batch(script_batches& home, script const& s) noexcept : home_(home), script_(s) {}

    // Preconditions: the batch gathers; the call is idle and its kind is that of the others.
    void add(batchable_call&);
    std::span<batchable_call* const> members() const noexcept { return {calls_.data(), calls_.size()}; }
    state current_state() const noexcept { return state_; }

    // Nothing was sent, because the connection is lost.
    void call_off();

private:
    friend class script_batches;
    using calls = boost::container::small_vector<batchable_call*, 8>;

    void submit(state);
    void on_answer(answer const&) override;
    void on_applied(answer const&);
    void send_text(answer const&);
    void send_alone();
    calls take_unwanted();
    void tell_parts(answer const&);
    static void tell_all(calls const&, answer const&);

    script_batches& home_;
    script const& script_;
    calls calls_;
    state state_ = state::gathering;
};

// Gathers the calls of one sender into batches, a batch for each script, and keeps the batches that are under way.
// After the server refused a batch for a member's sake, calls are sent alone for the rest of the epoch.
class script_batches {
public:
    // `done`: what the scripts do to locks, for the log: "renewed".
    script_batches(session&, log const&, std::string_view done, std::size_t most) noexcept;
    script_batches(script_batches const&) = delete;
    script_batches& operator=(script_batches const&) = delete;
    ~script_batches();

    bool are_allowed() const noexcept { return !are_refused_; }
    bool is_gathering() const noexcept;

    // The call leaves at the next flush, or when so many have gathered; where batches are refused, at once and alone.
    // Preconditions: the call is idle; the session is open; calls with one script are of one kind.
    void add(script const&, batchable_call&);

    // Sends what was gathered; the second, only the batches with a call for which that holds.
    void flush();
    template <class Predicate>
    void flush_if(Predicate);

    // A new epoch: batches are tried again.
    void on_open() noexcept { are_refused_ = false; }
    // The connection is lost: what was gathered is told so.
    void on_closed();
    // Forgets all. The session was stopped.
    void stop() noexcept;

private:
    friend class script_batch;

    void send(std::unique_ptr<script_batch>&);
    std::unique_ptr<script_batch> take(script_batch&) noexcept;
    void refuse(std::string_view words);

    session& to_;
    log const& log_;
    std::string_view const done_;
    std::size_t const most_;
    boost::container::flat_map<script const*, std::unique_ptr<script_batch>> gathering_;
    boost::intrusive::list<script_batch> under_way_;
    bool are_refused_ = false;
};

template <class Predicate>
void script_batches::flush_if(Predicate holds)
{
    for (auto& [script, b] : gathering_)
        if (b && std::ranges::any_of(b->members(), [&](auto const* c) { return holds(*c); }))
            send(b);
}

}  // namespace holdfast::engine

#endif
