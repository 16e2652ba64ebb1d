//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/composite_lock.hpp"

#include <algorithm>
#include <utility>

#include "composite/coordinate.hpp"

namespace holdfast::detail {
namespace {

// Runs a query on all members in parallel, and waits for all replies: each query ends within command_timeout, or its
// client stands still. `merge` makes one result of the results, which are in the order of the members. The coroutine
// owns the lock, so the handle may be destroyed.
template <class Result, class Merge>
task<outcome_of<Result>> query_all(std::shared_ptr<composite_lock const> of, member_query<Result>* start, Merge merge)
{
    co_await be_cancelled_by_hand();
    std::vector<question<initiation<void(error_code, Result), lock_ptr>>> queries;
    for (auto const& m : of->members())
        queries.push_back({make_initiation(start, m), client_of(*m)});
    auto const clients = clients_of(of->members());
    auto const here = co_await asio::this_coro::executor;
    auto const guard = guard_of(clients, here);
    all_answers const enough;
    auto ended = co_await ask<Result>(std::move(queries), enough, clients, guard);
    bool const cancelled = co_await is_cancelled();
    if (cancelled)
        co_return outcome_of<Result>{asio::error::operation_aborted, Result()};
    std::vector<Result> results;
    for (auto& a : ended.of)
        results.push_back(a ? std::move(std::get<1>(*a)) : Result());
    co_return merge(ended.errors(), results, of->quorum());
}

std::size_t successes_of(std::vector<described_error> const& errors) noexcept
{
    return static_cast<std::size_t>(std::ranges::count(errors, error_code(), &described_error::code));
}

described_error first_of(std::vector<described_error> const& errors) noexcept
{
    auto const found = std::ranges::find_if(errors, [](described_error const& e) { return e.code.failed(); });
    return found == errors.end() ? described_error() : *found;
}

// Locked means: so many members are locked that no quorum is free. A member without a reply may be locked or free. If
// the result depends on such members, it is the first error.
outcome_of<bool> merge_locked(
    std::vector<described_error> const& errors, std::vector<bool> const& locked, std::size_t quorum)
{
    auto const enough = errors.size() - quorum + 1;
    auto const sure = static_cast<std::size_t>(std::ranges::count(locked, true));
    auto const open = errors.size() - successes_of(errors);
    if (sure < enough && sure + open >= enough)
        return {first_of(errors), false};
    return {error_code(), sure >= enough};
}

// A forced release is done when a quorum of members has confirmed it. A lease of this lock then has fewer members than
// a quorum left, so it is lost.
outcome_of<bool> merge_forced(
    std::vector<described_error> const& errors, std::vector<bool> const& held, std::size_t quorum)
{
    bool const done = successes_of(errors) >= quorum;
    return {done ? described_error() : first_of(errors), std::ranges::count(held, true) > 0};
}

outcome_of<std::vector<holder>> merge_holders(
    std::vector<described_error> const& errors, std::vector<std::vector<holder>>& lists, std::size_t quorum)
{
    if (successes_of(errors) < quorum)
        return {first_of(errors), {}};
    std::vector<holder> all;
    for (auto& list : lists)
        std::ranges::move(list, std::back_inserter(all));
    return {error_code(), std::move(all)};
}

}  // namespace

composite_lock::composite_lock(std::string name, lock_list members, std::size_t quorum, std::string validation_error)
    : name_(std::move(name)),
      members_(std::move(members)),
      quorum_(quorum),
      validation_error_(std::move(validation_error))
{}

// Read before anything is sent: some members could not undo their extension if another one refused.
std::string composite_lock::extension_error(std::chrono::milliseconds by) const
{
    for (auto const& m : members_)
        if (auto what = m->extension_error(by); !what.empty())
            return what;
    return {};
}

// Not simply the client of the first member: a red_lock must work while one of its clients is stopped, with the clock
// and the executor of another. A stopped client is returned only if there is no better one: its executor still exists.
std::shared_ptr<client_state> composite_lock::home() const noexcept
{
    std::shared_ptr<client_state> stopped;
    for (auto const& m : members_) {
        auto c = m->home();
        if (!c || !c->is_alive())
            continue;
        if (!c->is_stopped())
            return c;
        stopped = stopped ? stopped : c;
    }
    return stopped;
}

// Why no command can be sent; success: it can. Records a validation error as the last failure of that client.
described_error composite_lock::precondition_error(std::shared_ptr<client_state> const& c) const
{
    if (c)
        return validation_error_.empty() ? described_error() : refuse(*c, validation_error_);
    auto const ec = validation_error_.empty() ? errc::client_stopped : errc::invalid_option;
    return named({ec, make_error_text(validation_error_)}, name_);
}

described_error composite_lock::refuse(client_state& c, std::string const& what) const
{
    return c.refuse(name_, what);
}

std::string composite_lock::request_error(acquire_request const& r) const
{
    if (auto const* what = detail::validation_error(r))
        return what;
    return r.at_least ? "at_least: not an option of several locks" : "";
}

void composite_lock::acquire(handler_at<void(error_code, lease)> h, acquire_request const& request) const
{
    // Called once: another thread may destroy the client at any time, and a second call would return null.
    auto clock = home();
    auto ec = precondition_error(clock);
    if (auto const what = ec ? std::string() : request_error(request); !what.empty())
        ec = refuse(*clock, what);
    if (ec)
        return complete_early<lease>(std::move(h), ec, {});
    auto context = request.is_part ? nullptr : clock->initiated(kind(), name(), {});
    begin_acquire(std::move(h), {std::move(clock), request, std::move(context)});
}

template <class Result, class Merge>
void composite_lock::query(handler_at<void(error_code, Result)> h, member_query<Result>* start, Merge merge) const
{
    if (auto const ec = precondition_error(home()))
        return complete_early<Result>(std::move(h), ec, {});
    auto const self = std::static_pointer_cast<composite_lock const>(shared_from_this());
    coordinate(std::move(h), self, query_all<Result>(self, start, merge));
}

void composite_lock::query_locked(handler_at<void(error_code, bool)> h) const
{
    query<bool>(std::move(h), start_is_locked, merge_locked);
}

void composite_lock::force_release(handler_at<void(error_code, bool)> h) const
{
    query<bool>(std::move(h), start_force_release, merge_forced);
}

void composite_lock::query_holders(handler_at<void(error_code, std::vector<holder>)> h) const
{
    query<std::vector<holder>>(std::move(h), start_holders, merge_holders);
}

}  // namespace holdfast::detail
