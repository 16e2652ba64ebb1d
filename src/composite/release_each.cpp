//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/release_each.hpp"

#include <atomic>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "client/cancellation.hpp"
#include "composite/composite_lock.hpp"
#include "composite/limit.hpp"
#include "composite/quorum.hpp"
#include "core/memory_end.hpp"
#include "core/pooled.hpp"
#include "handle/completion.hpp"
#include "handle/release_group.hpp"

namespace holdfast::detail {
namespace {

// Counts the results, which arrive on the strands of the leases' clients. Without a coroutine, which would cost several
// allocations for each release.
class release_of_each final : public core::pooled<release_of_each>, public release_group {
public:
    release_of_each(handler_at<void(error_code)> to, std::shared_ptr<composite_lock const> of, std::size_t count)
        : to_(std::move(to)), lock_(std::move(of)), needed_(lock_->quorum()), left_(count), ends_(count)
    {
        to_.at.executor = asio::prefer(std::move(to_.at.executor), asio::execution::outstanding_work.tracked);
    }

    void listen();
    void keep_limit();
    void end(std::size_t place, described_error) override;

private:
    void complete(described_error);
    described_error result() const;

    handler_at<void(error_code)> to_;
    std::shared_ptr<composite_lock const> const lock_;
    std::shared_ptr<limit> limit_;  // null: the releases keep their limit
    std::atomic<std::size_t> needed_;
    std::atomic<std::size_t> left_;
    std::atomic<bool> is_completed_ = false;  // only the thread that sets it may use to_
    std::vector<error_code> ends_;            // each element is written by one thread
    std::atomic<bool> has_failed_ = false;    // only the thread that sets it writes failure_
    described_error failure_;                 // the first one
};

// The slot is assigned before any release is started: afterwards another thread may have called the handler, and its
// slot is not valid any more. A cancellation ends only the wait: the releases cannot be undone.
void release_of_each::listen()
{
    on_cancellation(
        to_.handler, [self = boost::intrusive_ptr(this)] { self->complete(asio::error::operation_aborted); });
}

// Before any release is started, too: the result may come at once.
void release_of_each::keep_limit()
{
    auto const here = asio::prefer(to_.at.executor, asio::execution::outstanding_work.untracked);
    auto const clients = clients_of(lock_->members());
    if (auto const g = guard_of(clients, here))
        limit_ = std::make_shared<limit>(here, clients, *g, [self = boost::intrusive_ptr(this)](bool has_passed) {
            if (has_passed)
                self->complete(errc::unavailable);
        });
    if (limit_)
        limit_->start();
}

// `left_` is counted down with acquire and release: the thread that counts the last result reads those that other
// threads wrote. `needed_` only counts, no other memory is read because of it.
void release_of_each::end(std::size_t place, described_error ec)
{
    ends_[place] = ec.code;
    bool const is_released = !ec;
    if (!is_released && !has_failed_.exchange(true, std::memory_order_relaxed))
        failure_ = std::move(ec);
    if (is_released && needed_.fetch_sub(1, std::memory_order_relaxed) == 1)
        complete({});
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        complete(result());
}

// Of several members that failed, the text is that of the first one, if the whole ends with its error.
described_error release_of_each::result() const
{
    auto const ec = classify(ends_, lock_->quorum());
    return ec == failure_.code ? failure_ : described_error(ec);
}

// Four events may complete it: a quorum, the last result, a cancellation, the limit. The first one does.
void release_of_each::complete(described_error ec)
{
    if (is_completed_.exchange(true))
        return;
    if (limit_)
        limit_->cancel();
    core::run_or_end([&] { complete_early<>(std::move(to_), named(ec, lock_->name())); });
}

}  // namespace

void release_each(std::vector<lease> leases, std::shared_ptr<composite_lock const> of, handler_at<void(error_code)> to)
{
    auto const at = to.at.executor;
    boost::intrusive_ptr<release_of_each> const all(new release_of_each(std::move(to), std::move(of), leases.size()));
    all->listen();
    // From here on the handler may be called, so this call must not throw.
    core::run_or_end([&] {
        all->keep_limit();
        for (std::size_t i = 0; i < leases.size(); ++i)
            if (auto& l = lease_access::impl_of(leases[i])) {
                l->release_in(all, i, at);  // takes over the reference
                l.detach();
            } else
                all->end(i, errc::empty_lease);
    });
}

}  // namespace holdfast::detail
