//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_CALL_HPP
#define HOLDFAST_ENGINE_SCRIPT_CALL_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>

#include "core/pooled.hpp"
#include "engine/port/command.hpp"
#include "engine/port/log.hpp"
#include "engine/port/script_words.hpp"
#include "engine/port/session.hpp"

namespace holdfast::engine {

// One call of a script, alone or in a batch. It sends EVALSHA, because the text of a script is long. The server may not
// have the script: it never received it, was restarted, or its cache was flushed. Then the call is sent again, by its
// text if no other call has sent that meanwhile (script_cache.hpp), but only if the caller still wants the effect:
// otherwise the server would execute the script after the release of the same token, and keep a key that no client
// releases (rule 7).
//
// | state            | event                                    | next    | action                                    |
// |------------------|------------------------------------------|---------|-------------------------------------------|
// | idle             | send()                                   | by_sha1 | submits EVALSHA                           |
// | idle             | a batch adds it                          | batched |                                           |
// | by_sha1          | NOSCRIPT, wanted, the session is open    | by_*    | submits EVALSHA or EVAL: a new decision   |
// | by_sha1          | NOSCRIPT, otherwise                      | idle    | on_reply(refused, NOSCRIPT): not applied  |
// | by_*             | ASK, wanted, the caller follows it to an | asks_*  | submits ASKING, and EVALSHA or EVAL there |
// |                  | open session                             |         |                                           |
// | by_*             | any other answer                         | idle    | on_reply(answer)                          |
// | asks_by_sha1     | NOSCRIPT, wanted, that session is open   | asks_*  | as after ASK                              |
// | asks_*           | any other answer                         | idle    | on_reply(answer)                          |
// | batched          | its part of the batch's reply            | idle    | on_reply(part)                            |
// | batched          | the batch is refused because of a member | by_sha1 | EVALSHA if it is wanted; else as NOSCRIPT |
// | batched          | the batch has no reply for its members   | idle    | on_reply(answer to the batch)             |
//
// by_*: by_sha1 or by_text, as the session's script cache decides; asks_*: asks_by_sha1 or asks_by_text.
//
// The session or the batch keeps its address: it must stay alive until on_reply(), or until the session, or
// script_batches, is stopped.
class script_call : protected command {
public:
    enum class state : std::uint8_t { idle, batched, by_sha1, by_text, asks_by_sha1, asks_by_text };

    state current_state() const noexcept { return state_; }
    bool is_under_way() const noexcept { return state_ != state::idle; }

    // Sends it alone. Preconditions: it is idle; the session is open.
    void send(session&);

protected:
    // The shape of the reply to a single call: the value itself, or, for scripts that also serve batches, a list with
    // one part.
    enum class reply_shape : std::uint8_t { value, list };

    explicit script_call(reply_shape shape = reply_shape::value) noexcept : shape_(shape) {}
    ~script_call() = default;

    // Submits the command of this call alone, in that form.
    virtual void submit(session&, command&, script_form) = 0;

    // Whether the caller still wants the effect of the script. Called after a refusal, before the call is sent again.
    virtual bool is_wanted() const = 0;

    // The session to which the call is sent again after ASK, if it is open: to a server that imports the hash slot.
    // Null: none.
    virtual session* follow(answer const& /*ask*/) { return nullptr; }

    // It is about to be sent again to the same server, behind commands that were sent after it: after NOSCRIPT, or because
    // its batch was refused.
    virtual void on_overtaken() {}

    // The outcome. The call is idle: it may be sent again, or destroyed, during this call.
    virtual void on_reply(answer const&) = 0;

    // Whether the last reply is that of a server to which ASK has led, not of that session.
    bool has_followed_from(session const& s) const noexcept { return to_ && to_ != &s; }

private:
    friend class script_batch;

    void on_answer(answer const&) final;
    void submit(script_form);
    void submit_asking(script_form);
    bool submits_text(script_form);
    bool repeat(answer const&);
    bool ask(answer const&);
    void finish(answer const&);

    session* to_ = nullptr;  // to which it was sent last; null: in a batch
    script_position sent_ = 0;
    state state_ = state::idle;
    reply_shape const shape_;
};

// A call that can be a member of a batch.
class batchable_call : public script_call {
public:
    // Adds its own keys and arguments. The views must stay valid until the call is idle.
    virtual void add_to(script_words&) const = 0;

protected:
    using script_call::script_call;
    ~batchable_call() = default;
};

class script_batches;

// Several calls as one command, whose script replies with a list that has a part for each call. Each member gets the
// outcome that it would get alone. In the table, "completes" means that the batch calls on_reply() of each member with
// that outcome. No member may stop the client in on_reply(): stop() destroys the calls that the batch has yet to
// complete.
//
// | state            | event                                        | next    | action                                |
// |------------------|----------------------------------------------|---------|---------------------------------------|
// | gathering        | sent with one member                         | ended   | sends the member alone                |
// | gathering        | sent with several                            | by_sha1 | submits EVALSHA                       |
// | gathering        | call_off()                                   | ended   | completes: refused, not_now           |
// | by_sha1          | NOSCRIPT, a member is wanted, session open   | by_*    | submits EVALSHA or EVAL, as the       |
// |                  |                                              |         | script cache decides, for the wanted  |
// | by_sha1          | NOSCRIPT, otherwise                          | ended   | completes: refused, no_script         |
// | by_*             | a list with a part for each                  | ended   | completes, each with its part         |
// | by_*             | any other reply                              | ended   | no more batches; completes: unknown   |
// | by_*             | refused because of a member (is_passing() is | ended   | no more batches; sends each alone, if |
// |                  | false: NOPERM of one key, WRONGTYPE ...)     |         | it is still wanted                    |
// | by_*             | refused because a slot is moved key by key   | ended   | sends each alone, if it is still      |
// |                  | (TRYAGAIN, ASK to a client of a cluster)     |         | wanted                                |
// | by_*             | refused because of the server (BUSY, OOM) or | ended   | completes: refused                    |
// |                  | of the slot (MOVED)                          |         |                                       |
// | by_*             | unknown                                      | ended   | completes: unknown                    |
//
// After a reply of a wrong shape it is not known which members were applied, so the batch does not send them again.
class script_batch final : public core::pooled<script_batch>,
                           public boost::intrusive::list_base_hook<>,
                           private command {
public:
    enum class state : std::uint8_t { gathering, by_sha1, by_text };

    script_batch(script_batches& home, script const& s) noexcept : home_(home), script_(s) {}

    // Preconditions: the batch is gathering; the call is idle and of the same class as the others.
    void add(batchable_call&);
    std::span<batchable_call* const> members() const noexcept { return {calls_.data(), calls_.size()}; }
    state current_state() const noexcept { return state_; }

    // The connection was lost before the batch was sent.
    void call_off();

private:
    friend class script_batches;
    using calls = boost::container::small_vector<batchable_call*, 8>;

    void submit(script_form);
    void on_answer(answer const&) override;
    void on_applied(answer const&);
    void repeat(answer const&);
    void note_overtaken() const;
    void send_alone();
    calls take_unwanted();
    void finish_parts(answer const&);
    static void finish_all(calls const&, answer const&);

    script_batches& home_;
    script const& script_;
    calls calls_;
    script_position sent_ = 0;
    state state_ = state::gathering;
};

// Gathers the calls of one sender (the watchdog, the releaser) into batches, one for each script, and owns the batches
// that are under way. A release in a batch costs the server about half as much as a script of its own (rule 21). A
// server with hash slots refuses a command with keys of several slots, so it gets a batch for each script and slot.
// After the server refused a batch because of a member, all calls are sent alone until the next epoch: otherwise the
// key without permission would refuse each further batch, too.
class script_batches {
public:
    // `done`: what the scripts do with locks, for log lines: "renewed". `most`: the largest batch; the server executes
    // nothing else while it executes a batch.
    script_batches(session&, log const&, std::string_view done, std::size_t most) noexcept;
    script_batches(script_batches const&) = delete;
    script_batches& operator=(script_batches const&) = delete;
    ~script_batches();

    bool are_allowed() const noexcept { return !are_refused_; }
    bool is_gathering() const noexcept;

    // Adds the call to the batch of that script, which is sent at the next flush, or now if it is full. If the server
    // refused a batch in this epoch, the call is sent alone, now. `slot`: the hash slot of its keys.
    // Preconditions: the call is idle; the session is open; calls with one script are of one class.
    void add(script const&, std::uint16_t slot, batchable_call&);

    // Sends all batches that are gathering.
    void flush();
    // Sends only the batches with a member for which the predicate is true. `slot`: that of the keys of such a member.
    // Precondition: the session is open.
    template <class Predicate>
    void flush_if(std::uint16_t slot, Predicate);

    // A new epoch has begun. The access rules may have changed, or it is another server: batches are allowed again.
    void on_open() noexcept { are_refused_ = false; }
    // The connection was lost. Calls that were not sent yet complete as refused, not_now: they were not applied.
    void on_closed();
    // The session was stopped: the batches forget their calls without calling them.
    void stop() noexcept;

private:
    friend class script_batch;

    // Slot 0 for all calls on a server without hash slots. The slot comes first: flush_if() reads one of them.
    struct group {
        std::uint16_t slot;
        script const* with;
        friend auto operator<=>(group const&, group const&) = default;
    };

    std::uint16_t slot_of_group(std::uint16_t slot) const noexcept { return to_.server().has_hash_slots() ? slot : 0; }
    void send(std::unique_ptr<script_batch>&);
    std::unique_ptr<script_batch> take(script_batch&) noexcept;
    void refuse(std::string_view words);

    session& to_;
    log const& log_;
    std::string_view const done_;
    std::size_t const most_;
    std::map<group, std::unique_ptr<script_batch>> gathering_;  // null: none for that group
    boost::intrusive::list<script_batch> under_way_;            // owned
    bool are_refused_ = false;
};

template <class Predicate>
void script_batches::flush_if(std::uint16_t slot, Predicate holds)
{
    auto const in = slot_of_group(slot);
    for (auto at = gathering_.lower_bound({in, nullptr}); at != gathering_.end() && at->first.slot == in; ++at)
        if (at->second && std::ranges::any_of(at->second->members(), [&](auto const* c) { return holds(*c); }))
            send(at->second);
}

}  // namespace holdfast::engine

#endif
