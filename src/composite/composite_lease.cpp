//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/composite_lease.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/container/small_vector.hpp>

#include <holdfast/with_lock.hpp>

#include "composite/coordinate.hpp"
#include "composite/quorum.hpp"
#include "composite/release_each.hpp"
#include "core/memory_end.hpp"

namespace holdfast::detail {
namespace {

using std::chrono::steady_clock;

using plain_outcome = outcome_of<>;

// Extends the leases of all members. It ends with success after a quorum of successes, otherwise with the result of
// classify() when all have ended. A member whose execution context stands still counts as unavailable.
using extend_question = question<initiation<void(error_code), lease_ptr, std::chrono::milliseconds>>;
task<plain_outcome> extend_all(std::vector<extend_question> members, std::shared_ptr<composite_lock const> of)
{
    co_await be_cancelled_by_hand();
    auto const clients = clients_of(of->members());
    auto const here = co_await asio::this_coro::executor;
    auto const guard = guard_of(clients, here);
    enough_successes const quorum{of->quorum()};
    auto const ended = co_await ask<>(std::move(members), quorum, clients, guard);
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return plain_outcome(asio::error::operation_aborted);
    auto const errors = ended.errors();
    std::vector<error_code> codes;
    for (auto const& e : errors)
        codes.push_back(e.code);
    auto const ec = classify(codes, of->quorum());
    auto const why = std::ranges::find(errors, ec, &described_error::code);
    co_return plain_outcome(ec && why != errors.end() ? *why : described_error(ec));
}

// Returns the reason of the loss by which the composite lease became lost: the loss number `needed`, in the order in
// which the losses occurred. None if fewer leases were lost.
std::optional<loss> decisive_loss(answers<loss> const& ended, std::size_t needed)
{
    for (auto const i : ended.order)
        if (auto const& [ec, why] = *ended.of[i]; !ec && --needed == 0)
            return why;
    return std::nullopt;
}

}  // namespace

composite_lease::composite_lease(parts p) noexcept
    : lock_(std::move(p.of)),
      fence_(p.fence),
      members_(std::move(p.members)),
      hold_(std::move(p.hold)),
      more_(std::move(p.more))
{}

std::string_view composite_lease::name() const noexcept
{
    return lock_->name();
}

asio::any_io_executor composite_lease::executor() const noexcept
{
    auto const c = lock_->home();
    return c ? c->executor() : asio::any_io_executor();
}

// A composite lease that was reported lost must not become valid again: the body may have been cancelled, and another
// contender may hold the lock. If it is lost or released, `late` is destroyed, after the mutex is unlocked, which
// releases it; so is the lease of the member that it replaces. The new member is renewed from now if the user's handler
// has the lease.
void composite_lease::join(lease late, lease_impl const* in_place_of)
{
    std::scoped_lock const guard(mutex_);
    if (classify_members() == lease_state::lost)
        return;
    lease_access::take_up(late, is_taken_up_);
    ++joined_;
    auto const is_replaced = [&](lease& l) { return in_place_of && lease_access::impl_of(l).get() == in_place_of; };
    if (auto const lost = std::ranges::find_if(members_, is_replaced); lost != members_.end())
        std::swap(*lost, late);
    else
        members_.push_back(std::move(late));
}

lease_state composite_lease::state() const noexcept
{
    std::scoped_lock const guard(mutex_);
    return classify_members();
}

// Computed at each call, because the state of a member depends on the clock. At risk: so many members are at risk or
// lost that one more loss may be the loss of all. Precondition: mutex_ is locked.
lease_state composite_lease::classify_members() const noexcept
{
    std::size_t held = 0;
    std::size_t valid = 0;
    for (auto const& l : members_) {
        auto const s = l.state();
        held += s == lease_state::held;
        valid += s == lease_state::held || s == lease_state::at_risk;
    }
    if (valid < lock_->quorum())
        return lease_state::lost;
    return held < lock_->quorum() ? lease_state::at_risk : lease_state::held;
}

// Reads the end of each member once. Two conversions of one instant to the steady clock differ by some nanoseconds:
// with two readings, each of two members with the same end, as those of one script, could seem to end before the other,
// and the result would be time_point().
steady_clock::time_point composite_lease::valid_until() const noexcept
{
    std::scoped_lock const guard(mutex_);
    boost::container::small_vector<steady_clock::time_point, 8> ends;
    core::run_or_end([&] { ends.reserve(members_.size()); });
    for (auto const& l : members_)
        if (l.valid())
            ends.push_back(l.valid_until());
    return quorum_end(ends, lock_->quorum());
}

// The members of a red_lock have the same name and a token of their own server each, which does not order the leases of
// the red_lock: only its own token is returned.
std::optional<std::uint64_t> composite_lease::fencing_token(std::string_view member) const noexcept
{
    if (lock_->has_one_fence())
        return member == lock_->name() ? fence_ : std::nullopt;
    std::scoped_lock const guard(mutex_);
    for (auto const& l : members_)
        if (auto const f = l.fencing_token(member))
            return f;
    return std::nullopt;
}

void composite_lease::take_up(bool taken_up) noexcept
{
    std::scoped_lock const guard(mutex_);
    is_taken_up_ = taken_up;
    for (auto& l : members_)
        lease_access::take_up(l, taken_up);
}

// Ends the composite lease: from here on it has no members, and late ones are refused. Its parts are destroyed after
// the mutex is unlocked, because that calls other objects: the hold sends a report, and a lease sends its release.
// refuse() locks the mutex of the collector.
std::vector<lease> composite_lease::take() noexcept
{
    std::vector<lease> all;
    std::shared_ptr<collector> more;
    std::unique_ptr<composite_hold> hold;
    {
        std::scoped_lock const guard(mutex_);
        if (hold_ && classify_members() == lease_state::lost)
            hold_->note_loss();
        all.swap(members_);
        more.swap(more_);
        hold.swap(hold_);
    }
    if (more)
        more->refuse();
    return all;
}

// An operation on each member's lease; none when the lease is released. They are started later, without the mutex, and
// own references to the members: the composite lease may be released meanwhile.
template <class Signature, class... More>
std::vector<question<initiation<Signature, lease_ptr, More...>>> composite_lease::ask_members(
    void (*start)(handler_at<Signature>, lease_ptr, More...), std::type_identity_t<More>... more)
{
    std::scoped_lock const guard(mutex_);
    std::vector<question<initiation<Signature, lease_ptr, More...>>> operations;
    for (auto& l : members_) {
        auto const& of = lease_access::impl_of(l);
        operations.push_back({make_initiation(start, of, more...), of->client()});
    }
    return operations;
}

// The error of an operation that is invalid for this lease. Records why.
described_error composite_lease::refuse(std::string const& what) const
{
    auto const c = lock_->home();
    return c ? lock_->refuse(*c, what) : named({errc::invalid_option, make_error_text(what)}, lock_->name());
}

// Nothing is sent if one member does not allow that time: an extension of the others could not be undone. It succeeds
// with a quorum, because a quorum makes the lease valid.
void composite_lease::extend(std::chrono::milliseconds by, handler_at<void(error_code)> h)
{
    if (auto const what = lock_->extension_error(by); !what.empty())
        return complete_early<>(std::move(h), refuse(what));
    auto members = ask_members(start_extend, by);
    if (members.empty())
        return complete_early<>(std::move(h), named(errc::empty_lease, lock_->name()));
    coordinate(std::move(h), lock_, extend_all(std::move(members), lock_));
}

// The coroutine has a reference to this object, not to the lease: the lease may be moved or destroyed meanwhile.
void composite_lease::lost(handler_at<void(error_code, loss)> h)
{
    watch(std::move(h), start_lost);
}

void composite_lease::stopping(handler_at<void(error_code, loss)> h)
{
    watch(std::move(h), start_stopping);
}

void composite_lease::watch(handler_at<void(error_code, loss)> h, member_watch* start)
{
    if (is_released())
        return complete_early<loss>(std::move(h), named(errc::released, lock_->name()), {});
    if (!lock_->home())
        return complete_early<loss>(std::move(h), {}, loss::client_stopped);
    coordinate(std::move(h), lock_, await_loss(self_ptr(this), start));
}

// With n members and a quorum of q, the loss of n - q + 1 members is the loss of all. If members have joined since, also
// in place of lost ones, so many may be left, and it watches all members again; those that are lost complete at once. If
// the group ends without so many losses, the members were released, or the caller has cancelled.
task<composite_lease::loss_outcome> composite_lease::await_loss(self_ptr self, member_watch* start)
{
    co_await be_cancelled_by_hand();
    for (;;) {
        auto const joined = self->joined();  // read first: who joins after it is watched in the next turn
        auto watches = self->ask_members(start);
        if (watches.empty())
            co_return loss_outcome{errc::released, {}};
        auto const needed = watches.size() - self->lock_->quorum() + 1;
        enough_successes const enough{needed};
        auto const ended = co_await ask<loss>(std::move(watches), enough, client_list(), std::nullopt);
        auto const why = decisive_loss(ended, needed);
        if (why && self->joined() == joined)
            co_return loss_outcome{error_code(), *why};
        bool const cancelled = co_await is_cancelled();
        if (cancelled || !why)
            co_return loss_outcome{cancelled ? error_code(asio::error::operation_aborted) : errc::released, {}};
    }
}

bool composite_lease::is_released() const noexcept
{
    std::scoped_lock const guard(mutex_);
    return members_.empty();
}

std::size_t composite_lease::joined() const noexcept
{
    std::scoped_lock const guard(mutex_);
    return joined_;
}

void composite_lease::downgrade(handler_at<void(error_code, lease)> h)
{
    complete_early<lease>(std::move(h), refuse("downgrade: not supported by a lease of several locks"), {});
}

// Only a red_lock calls raise_fence(), for its members, and these are single locks.
void composite_lease::raise_fence(std::uint64_t, handler_at<void(error_code, bool)> h)
{
    complete_early<bool>(std::move(h), refuse("fencing: not supported by a lease of several locks"), false);
}

void composite_lease::release(handler_at<void(error_code)> h)
{
    auto members = take();
    if (members.empty())
        complete_early<>(std::move(h), named(errc::empty_lease, lock_->name()));
    else
        release_each(std::move(members), lock_, std::move(h));
    remove_reference();  // last: it may destroy this object
}

// Completes on the executor of the handler that waits for the group, because the contexts of its own clients may end
// before: then the result would never arrive.
void composite_lease::release_in(
    boost::intrusive_ptr<release_group> all, std::size_t place, asio::any_io_executor const& executor)
{
    auto ended = [all = std::move(all), place](described_error ec) { all->end(place, std::move(ec)); };
    release({asio::bind_executor(executor, std::move(ended)), {executor, true}});
}

// The destructors of the members queue their releases.
void composite_lease::drop() noexcept
{
    self_ptr const self(this, false);
    take();
}

}  // namespace holdfast::detail
