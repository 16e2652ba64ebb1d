//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CONTENDER_HPP
#define HOLDFAST_ENGINE_CONTENDER_HPP

#include <cstdint>
#include <memory>
#include <optional>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/port/request.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class arbiter;
class batch_acquire;
class grant;
class owner_state;

// One acquire that has not ended. Exactly one of the three outcomes is called, once, on the strand, after the contender
// has left its queue. None of them calls the engine, because the caller is in the middle of a change.
//
// Any thread may create a contender and destroy it; in between, everything is on the strand. An arbiter has a reference
// to each contender in its queues.
class contender : public request, public core::deadline, public boost::intrusive::list_base_hook<> {
public:
    struct wish {
        std::shared_ptr<lock_spec const> lock;
        std::shared_ptr<owner_state> owner;
        engine::terms terms;
        std::optional<core::duration> wait;            // none: no limit; zero: a single attempt
        boost::intrusive_ptr<tenure> under = {};       // the write that a downgrade turns into a read
        core::duration limit = core::duration::max();  // of a single attempt: how long its reply may take
        bool needs_answer = false;           // without a reply it ends as unavailable, even if the limit was short
        bool tries_again = false;            // a single attempt, after which a composite lock makes others
        std::shared_ptr<void> context = {};  // of the acquire: the observer's
        bool requires_connection = false;    // it ends when the server is away
    };

    explicit contender(wish w) : wish_(std::move(w)) {}

    // Makes the tenure for this contender. The caller gets the only reference.
    virtual tenure* make_tenure(tenure::beginning) const = 0;
    virtual void granted(boost::intrusive_ptr<tenure>) = 0;
    virtual void busy() = 0;
    virtual void failed(detail::described_error) = 0;

    lock_spec const& lock() const noexcept { return *wish_.lock; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return wish_.lock; }
    std::shared_ptr<owner_state> const& owner() const noexcept { return wish_.owner; }
    engine::terms const& terms() const noexcept { return wish_.terms; }
    std::optional<core::duration> wait() const noexcept { return wish_.wait; }
    boost::intrusive_ptr<tenure> const& under() const noexcept { return wish_.under; }
    core::duration limit() const noexcept { return wish_.limit; }
    std::shared_ptr<void> const& context() const noexcept { return wish_.context; }
    bool tries_again() const noexcept { return wish_.tries_again; }
    bool requires_connection() const noexcept { return wish_.requires_connection; }
    // Whether it ends as unavailable, not as busy, if no reply of the server has come. A single attempt that had the
    // whole command_timeout must have a reply to be busy, even if the server is usually slow.
    bool needs_answer(core::instant now, core::duration command_timeout) const noexcept
    {
        return wish_.needs_answer || (is_one_shot() && now - joined >= command_timeout);
    }
    bool is_one_shot() const noexcept { return wish_.wait == core::duration::zero(); }

    bool is_queued() const noexcept { return home != nullptr; }

    // Whether the statistics count it: it is an acquire of a user that has not completed. Parts of composite locks and
    // downgrades are not counted.
    bool is_counted() const noexcept { return !is_over_ && !terms().is_part && !under(); }
    // The user's handler has completed, although the contender goes on.
    void be_over() noexcept { is_over_ = true; }

    // It is cancelled. Does nothing if it has no arbiter, because it has ended or has not joined yet.
    void leave(boost::system::error_code why);

    // The arbiter in whose queue it waits; null: none.
    arbiter* home = nullptr;
    core::instant joined{};
    std::uint64_t acquire = 0;  // its number, if it is counted
    // The first send of the extension for its re-entry, while no reply has arrived; never: no reply is missing.
    core::instant extension_sent = core::never;
    // The batch in which its attempt is sent, while the members of the batch join; null after that, so that a later
    // attempt is sent alone.
    batch_acquire* batch = nullptr;
    // The round in which it was last asked whether it may join a grant (reader_joining.hpp); 0: in none, or it is in no
    // queue. It stands before a small member, because many contenders may wait.
    std::uint32_t asked_in = 0;
    // It waits at `home` for an extension of its owner's grant, outside of the queue.
    bool is_entering = false;

    void on_due(core::instant now) override;

protected:
    // A downgrade reads the terms of its write on the strand, before it joins.
    void set_terms(engine::terms const& t) noexcept { wish_.terms = t; }

private:
    bool is_over_ = false;
    wish wish_;
};

// Whether an attempt with that grant's token is an attempt for this contender: the same lock, and the lease time that
// the attempt sets.
bool suits(grant const&, contender const&) noexcept;

}  // namespace holdfast::engine

#endif
