//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_GRANT_HPP
#define HOLDFAST_ENGINE_GRANT_HPP

#include <chrono>
#include <cstdint>
#include <memory>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/pooled.hpp"
#include "core/token.hpp"
#include "core/token_commands.hpp"
#include "core/validity.hpp"
#include "engine/hold/renewal_schedule.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/port/refusal.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class arbiter;
class grant_watcher;

// The folder `engine/hold` has what this client holds: grants, the tenures of each grant with their terms and owners,
// and the watchdog that renews the grants. It may include `core` and the folders `port`, `protocol` and `runtime` of
// the engine.
//
// A grant is the record of a lock in Redis: one token under the lock's key. An acquisition creates it and seeks it;
// while a tenure holds it, an arbiter has it and the watchdog renews it; then the releaser deletes its token. All
// tenures of an exclusive grant have one owner; readers share a grant. Each tenure has terms and an end of its own. A
// grant is used only on the strand; its reference counter is not thread-safe.
class grant final : public core::pooled<grant>,
                    public core::deadline,
                    public boost::intrusive::list_base_hook<>,
                    public boost::intrusive_ref_counter<grant, boost::thread_unsafe_counter> {
public:
    // `under`: the write of its owner under which it reads; null: none.
    grant(
        std::shared_ptr<lock_spec const> lock,
        core::token token,
        core::duration lease,
        boost::intrusive_ptr<grant> under = {});
    ~grant();

    lock_spec const& lock() const noexcept { return *lock_; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return lock_; }
    std::string_view token() const noexcept { return token_.text(); }
    // Its own key besides the lock's: a reader's slot. Empty: none.
    std::string_view own_key() const noexcept { return own_key_ ? std::string_view(*own_key_) : std::string_view(); }

    // The time to live with which it was sought.
    core::duration lease() const noexcept { return lease_; }
    // How long one reply of the server counts; renewals are paced by it: the lease time that they request, or less if
    // other libraries may shorten the time to live.
    core::duration period() const noexcept;
    // When a tenure of it is lost at the latest: a little before its validity ends, so that the holder has time to
    // stop.
    core::instant stop_at(tenure const& t) const noexcept
    {
        return t.valid_until() - t.held().stop_margin(longest_period());
    }

    core::instant valid_until() const noexcept { return valid_until_; }
    core::instant confirmed() const noexcept { return confirmed_; }
    // A reply showed that the key has a time to live of `lease`, counted from `sent` (rule 1); zero: the time to live
    // that was set before.
    void confirm(core::instant sent, core::duration lease) noexcept;

    // A release of the token was queued: no acquire, renewal or hand-off uses it again.
    bool is_retired() const noexcept { return retired_; }
    void retire() noexcept { retired_ = true; }

    std::uint64_t fence = 0;
    unsigned number = 0;  // of a numbered semaphore
    // Of an election: how long after the grant it leads. Small, because many grants may be held.
    std::chrono::duration<std::uint32_t, std::milli> settle{};

    // ---- its holders
    void enter(tenure&);
    // The hold ends or is lost. Its claim on the token stays until its body has ended, too.
    void leave(tenure&) noexcept;
    tenures const& holders() const noexcept { return holders_; }
    tenures& holders() noexcept { return holders_; }
    bool is_held() const noexcept { return !holders_.empty(); }
    arbiter* home = nullptr;  // the arbiter that has it, the same for all of its holders; null: not held
    // Gives each hold the end that the grant and its own terms allow, also one that its handler has not taken up yet: a
    // lease never promises less than its grant has. A hold that has ended is not revived (rule 4).
    void prolong_holds(core::instant now) noexcept;
    // Whether a hold of it is valid then.
    bool lasts(core::instant now) const noexcept;
    // The body of one hold has ended. True: it was the last body, and the token is to be deleted.
    bool drop_claim() noexcept;
    // How long the lock must yet stay taken after its last hold, because one of its holds was acquired with `at_least`,
    // or was lost and its validity has not ended; zero: the token may be deleted.
    core::duration rest(core::instant now) const noexcept
    {
        return now < kept_until_ ? kept_until_ - now : core::duration::zero();
    }
    void keep_until(core::instant end) noexcept { kept_until_ = std::max(kept_until_, end); }
    // Whether the body of only one hold has not ended.
    bool is_last_claim() const noexcept { return claims_ == 1; }

    // Computes what its holds now require of the server.
    demand const& reckon() noexcept;
    // Whether the watchdog renews it: a hold requires it, or other libraries may shorten the time to live.
    bool is_kept() noexcept { return may_be_shortened() || reckon().is_renewed(); }
    // The lease time that the next renewal requests; zero: the time to live need not become longer.
    core::duration renewal() noexcept { return reckon().requested; }
    core::instant renewal_due() const noexcept { return schedule.due(confirmed_, period()); }
    bool is_at_risk() const noexcept { return schedule.is_at_risk(); }

    // Called before a command that sets its time to live is submitted, and when the outcome of the command is known or
    // has become unknown. A read is stored in the key of the write under which it reads, so its commands count as
    // commands of that write, too.
    void on_sent(core::duration lease) noexcept;
    void on_answered(core::instant now, bool is_known) noexcept;
    void on_barrier(core::instant now) noexcept { commands_.on_barrier(now); }

    // A read is sought under this write, and may outlast it. From then on the write is never handed off, and its field
    // may stay in the key as long as that read's lease time.
    void cover(core::duration lease) noexcept;
    bool covers_reads() const noexcept { return covers_reads_; }
    // When nothing of it is left on the server, provided that no command that sets its time to live is submitted after
    // `queued`; `never` while the server may still execute such a command. A fair lock's place lasts for
    // `waiter_timeout`.
    core::instant expiry(core::instant queued) const noexcept
    {
        return core::key_expiry(queued, commands_.settled(), std::max(longest_requested_, lock_->waiter_timeout));
    }

    // ---- the watchdog's
    grant_watcher* watcher = nullptr;  // null: not watched
    renewal_schedule schedule;
    refusal last_refusal = refusal::none;  // to log each once, of its own renewals only; none since one succeeded

    // A writer waits, or it is not known whether one waits: no reader joins this grant. It stands beside another small
    // member, because many grants may be held.
    bool is_closed = false;

    void on_due(core::instant now) override;

private:
    core::duration longest_period() const noexcept;
    bool may_be_shortened() const noexcept { return longest_period() < core::duration::max(); }

    std::shared_ptr<lock_spec const> const lock_;
    core::token const token_;
    std::unique_ptr<std::string const> own_key_;  // a pointer, because few grants have one and many may be held
    boost::intrusive_ptr<grant> const under_;
    core::duration const lease_;
    core::token_commands commands_;     // that set its time to live
    core::duration longest_requested_;  // by any command that may have been applied, also of a read under it
    demand demand_;                     // may include holds that have ended since reckon()
    core::instant confirmed_ = core::instant::min();
    core::instant set_until_ = core::instant::min();  // by what this client set, if no other library shortens it
    core::instant valid_until_ = core::instant::min();
    core::instant kept_until_ = core::instant::min();  // the latest of those for which it must stay taken
    tenures holders_;
    unsigned claims_ = 0;
    bool retired_ = false;
    bool covers_reads_ = false;
};

}  // namespace holdfast::engine

#endif
