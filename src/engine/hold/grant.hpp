//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_GRANT_HPP
#define HOLDFAST_ENGINE_GRANT_HPP

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
#include "engine/hold/tenure.hpp"
#include "engine/port/refusal.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class arbiter;

// What Redis records: one token under the lock's key. Belongs to an arbiter, which seeks it for the head of its queue;
// while somebody holds it, the watchdog renews it; then the releaser has its token deleted. All tenures of an exclusive
// grant are of one owner; a reader's is shared. Each tenure has terms and an end of its own.
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
    // The key that it has besides the lock's: a reader's slot. Empty: none.
    std::string_view own_key() const noexcept { return own_key_ ? std::string_view(*own_key_) : std::string_view(); }

    // The lease time with which it was sought.
    core::duration lease() const noexcept { return lease_; }
    // How long one answer of the server counts, which paces the renewals: the lease time that is asked for, or less
    // where other libraries may shorten what it set.
    core::duration period() const noexcept;
    // When a tenure of it is told its loss.
    core::instant stop_at(tenure const& t) const noexcept
    {
        return t.valid_until() - t.held().stop_margin(longest_period());
    }

    core::instant valid_until() const noexcept { return valid_until_; }
    core::instant confirmed() const noexcept { return confirmed_; }
    // A reply showed that a time to live of `lease`, sent then, holds; zero: what was set before does.
    void confirm(core::instant sent, core::duration lease) noexcept;

    // A release of the token was queued: no acquire, renewal or hand-off uses it again.
    bool is_retired() const noexcept { return retired_; }
    void retire() noexcept { retired_ = true; }

    std::uint64_t fence = 0;

    // ---- those who hold it
    void enter(tenure&);
    // Its hold ends, or is lost; then its claim is left, until its body has ended, too.
    void leave(tenure&) noexcept;
    tenures const& holders() const noexcept { return holders_; }
    tenures& holders() noexcept { return holders_; }
    bool is_held() const noexcept { return !holders_.empty(); }
    // Each hold that its handler has taken up, and the one that was extended, if any, is valid as long as the grant and
    // its own terms allow. A hold that is taken up later gets its time when the watchdog calls this next. What has
    // run out is not revived.
    void prolong_holds(core::instant now, tenure const* extended) noexcept;
    // Somebody holds it who is valid then.
    bool lasts(core::instant now) const noexcept;
    // The body of one who held it has ended. True: it was the last, the token is to be deleted.
    bool drop_claim() noexcept;
    // Nobody else has, or had, a hold whose body goes on.
    bool is_last_claim() const noexcept { return claims_ == 1; }

    // What its holds ask of the server now.
    demand const& reckon() noexcept;
    // Whether the watchdog renews it: somebody wants it renewed, or others may shorten it.
    bool is_kept() noexcept { return may_be_shortened() || reckon().is_renewed(); }
    // What the next renewal asks for: zero when nothing is to become longer.
    core::duration renewal() noexcept { return reckon().ask; }

    // A command that sets its time to live is sent, and answered or unknown. A read lies in the key of the write under
    // which it reads, so that its commands count as commands of that write, too.
    void on_sent(core::duration lease) noexcept;
    void on_answered(core::instant now, bool is_known) noexcept;
    void on_barrier(core::instant now) noexcept { commands_.on_barrier(now); }

    // A read is sought under this write, and may outlast it: then it is never handed on, and its field lasts as long as
    // that read's lease, because the lock does.
    void cover(core::duration lease) noexcept;
    bool covers_reads() const noexcept { return covers_reads_; }
    // When nothing of it is left on the server, if no command that keeps it is submitted from then on; `never` while
    // one may still be executed.
    core::instant expiry(core::instant queued) const noexcept
    {
        return core::key_expiry(queued, commands_.settled(), std::max(longest_asked_, lock_->waiter_timeout));
    }

    // A writer waits, or the server could not tell: no reader joins.
    bool is_closed = false;

    // ---- the watchdog's
    bool is_watched = false;
    bool at_risk = false;
    refusal last_refusal = refusal::none;  // of its renewals, for a reason of its own; none since one was kept
    arbiter* home = nullptr;
    core::instant asked_since = core::never;  // the first renewal of this epoch without an answer yet; never: none
    core::instant asked_last{};
    bool owes_answer() const noexcept { return asked_since < core::never; }

    void on_due(core::instant now) override;

private:
    core::duration longest_period() const noexcept;
    bool may_be_shortened() const noexcept { return longest_period() < core::duration::max(); }

    std::shared_ptr<lock_spec const> const lock_;
    core::token const token_;
    std::unique_ptr<std::string const> own_key_;  // few have one, and many grants may be held
    boost::intrusive_ptr<grant> const under_;
    core::duration const lease_;
    core::token_commands commands_;  // those that set its time to live
    core::duration longest_asked_;   // by any command that may have been applied, of a read under it, too
    demand demand_;                  // may include holds that have ended since it was reckoned
    core::instant confirmed_ = core::instant::min();
    core::instant set_until_ = core::instant::min();  // by what we set, if nobody shortens it
    core::instant valid_until_ = core::instant::min();
    tenures holders_;
    unsigned claims_ = 0;
    bool retired_ = false;
    bool covers_reads_ = false;
};

}  // namespace holdfast::engine

#endif
