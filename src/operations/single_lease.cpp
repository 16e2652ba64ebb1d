//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/single_lease.hpp"

#include <utility>

#include <boost/asio/bind_executor.hpp>

#include "core/memory_end.hpp"
#include "engine/client_engine.hpp"
#include "operations/lease_limit.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {
namespace {

using std::chrono::steady_clock;

using plain_handler = handler_at<void(error_code)>;
using loss_handler = handler_at<void(error_code, loss)>;
using tenure_ptr = boost::intrusive_ptr<engine::tenure>;

// lease::extend(). A cancellation completes it at once, but the command that was sent goes on: the watchdog keeps the
// address of the waiter and calls extended(), which retires the operation.
class extend_operation final : public operation<engine::request>, public engine::extension_waiter {
public:
    extend_operation(plain_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t, core::duration by)
        : operation(std::move(h), home), tenure_(std::move(t)), by_(by)
    {}

    void extended(described_error ec) override { finish(std::move(ec)); }

private:
    std::string_view subject() const noexcept override { return tenure_->lock().name; }
    void begin(engine::client_engine& c) override { c.extend(*tenure_, by_, *this); }
    void cancel(engine::client_engine&) override { complete(asio::error::operation_aborted); }

    tenure_ptr tenure_;  // the lease may be destroyed before the message is delivered
    core::duration by_;
};

// lease::lost(). Sends nothing: waits in the tenure's list, which it leaves when it is cancelled.
class lost_operation final : public operation<engine::request, loss>, public engine::loss_waiter {
public:
    lost_operation(loss_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t)
        : operation(std::move(h), home), tenure_(std::move(t))
    {}

    void lost(loss why) override { finish({}, why); }
    void failed(error_code ec) override { finish(ec, {}); }

private:
    std::string_view subject() const noexcept override { return tenure_->lock().name; }
    void begin(engine::client_engine& c) override { c.watch_loss(*tenure_, *this); }
    // The end of the client's context is a loss, and lost() succeeds on a loss.
    void abandon() override { complete({}, loss::client_stopped); }
    void cancel(engine::client_engine&) override
    {
        unlink();
        finish(asio::error::operation_aborted, {});
    }

    tenure_ptr tenure_;
};

// lease::lost(), or the moment at which a shutdown of the client asks bodies to end, whichever is first. It is in the
// tenure's list and in the engine's.
class stopping_operation final : public operation<engine::request, loss>,
                                 public engine::loss_waiter,
                                 public engine::client_waiter {
public:
    stopping_operation(loss_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t)
        : operation(std::move(h), home), tenure_(std::move(t))
    {}

    void lost(loss why) override { end({}, why); }
    void failed(error_code ec) override { end(ec, {}); }
    void done(described_error) override { end({}, loss::client_stopped); }

private:
    void begin(engine::client_engine& c) override
    {
        c.watch_loss(*tenure_, *this);
        if (!is_complete())
            c.wait_ending(*this);
    }
    void abandon() override { complete({}, loss::client_stopped); }
    void cancel(engine::client_engine&) override { end(asio::error::operation_aborted, {}); }

    void end(error_code ec, loss why)
    {
        loss_waiter::unlink();
        client_waiter::unlink();
        finish(ec, why);
    }

    tenure_ptr tenure_;
};

// lease::release(). A cancellation completes it at once; the release goes on, and released() retires the operation.
// Pooled: each acquire is followed by one.
class release_operation final : public core::pooled<release_operation>,
                                public operation<engine::request>,
                                public engine::release_waiter {
public:
    release_operation(plain_handler h, std::shared_ptr<client_state> const& home, tenure_ptr t)
        : operation(std::move(h), home), tenure_(std::move(t))
    {}

    void released(described_error ec) override { finish(std::move(ec)); }

private:
    std::string_view subject() const noexcept override { return tenure_->lock().name; }
    void begin(engine::client_engine& c) override { c.leave(*tenure_, this); }
    void cancel(engine::client_engine&) override { complete(asio::error::operation_aborted); }

    tenure_ptr tenure_;
};

// The release of a member of a composite lease. It has no handler of its own, so releasing several locks costs neither
// a handler nor a completion for each.
class member_release final : public core::pooled<member_release>,
                             public engine::request,
                             private engine::release_waiter {
public:
    member_release(boost::intrusive_ptr<release_group> all, std::size_t place, tenure_ptr t)
        : all_(std::move(all)), place_(place), tenure_(std::move(t))
    {}

private:
    void deliver(engine::client_engine& c) override { c.leave(*tenure_, this); }
    // The execution context of this client has ended. The group's handler may run in another one, and
    // waits for all members.
    void discard() noexcept override { released(errc::client_stopped); }
    void released(described_error ec) override
    {
        boost::intrusive_ptr<member_release> const self(this, false);
        core::run_or_end([&] { all_->end(place_, ec ? named(ec, tenure_->lock().name) : ec); });
    }

    boost::intrusive_ptr<release_group> all_;
    std::size_t place_;
    tenure_ptr tenure_;
};

}  // namespace

// ---- queries

// The engine knows its client as an inbox; every inbox of a tenure is a client_state.
std::shared_ptr<client_state> single_lease::client() const noexcept
{
    return std::static_pointer_cast<client_state>(home().lock());
}

asio::any_io_executor single_lease::executor() const noexcept
{
    auto const c = client();
    return c ? c->executor() : asio::any_io_executor();
}

// The library's clock runs while the host sleeps, the steady clock may not (rule 2). The conversion adds the
// remaining time to the present.
steady_clock::time_point single_lease::valid_until() const noexcept
{
    auto const steady =
        steady_clock::now();  // read first: a pause of the thread between the two clocks must not make the result later
    auto const c = client();
    auto const now = c ? c->now() : core::never;
    return is_detached() || now == core::never ? steady_clock::time_point() : steady + (tenure::valid_until() - now);
}

// After a downgrade the lease is detached: it is empty for the user, although the object still exists.
std::optional<std::uint64_t> single_lease::fencing_token() const noexcept
{
    return !is_detached() && fence() != 0 ? std::optional(fence()) : std::nullopt;
}

std::optional<std::uint64_t> single_lease::fencing_token(std::string_view member) const noexcept
{
    return name() == member ? fencing_token() : std::nullopt;
}

std::optional<unsigned> single_lease::number() const noexcept
{
    return !is_detached() && tenure::number() != 0 ? std::optional(tenure::number()) : std::nullopt;
}

std::string_view single_lease::name() const noexcept
{
    return is_detached() ? std::string_view() : std::string_view(lock().name);
}

std::shared_ptr<engine::owner_state> single_lease::owner() const noexcept
{
    return is_detached() ? nullptr : tenure::owner();
}

// ---- operations

// An operation that was made from a lease may be launched after the lease was downgraded or its client destroyed. A
// lease that was released passes this check on the launching thread: the strand decides, after the release.
error_code single_lease::precondition_error(std::shared_ptr<client_state> const& c) const noexcept
{
    if (is_detached())
        return errc::empty_lease;
    return c && c->is_alive() ? error_code() : errc::client_stopped;
}

void single_lease::extend(std::chrono::milliseconds by, plain_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<>(std::move(h), named(ec, lock().name));
    auto const what = by <= by.zero() ? std::string("extend: must be positive") : lease_error(lock(), by);
    if (!what.empty())
        return complete_early<>(std::move(h), c->refuse(lock().name, what));
    launch<extend_operation>(c, std::move(h), tenure_ptr(this), by);
}

void single_lease::lost(loss_handler h)
{
    watch<lost_operation>(std::move(h));
}

void single_lease::stopping(loss_handler h)
{
    watch<stopping_operation>(std::move(h));
}

template <class Operation>
void single_lease::watch(loss_handler h)
{
    auto const c = client();
    auto const ec = precondition_error(c);
    if (ec == errc::empty_lease)
        return complete_early<loss>(std::move(h), named(ec, lock().name), {});
    // A client that stops marks all tenures that are held as lost. So this one had been released before.
    if (ec && !is_lost())
        return complete_early<loss>(std::move(h), named(errc::released, lock().name), {});
    if (ec)
        return complete_early<loss>(std::move(h), {}, loss::client_stopped);
    launch<Operation>(c, std::move(h), tenure_ptr(this));
}

// The operation has a reference of its own before the lease's reference is given up.
void single_lease::release(plain_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c)) {
        complete_early<>(std::move(h), named(ec, lock().name));
        return drop();
    }
    launch<release_operation>(c, std::move(h), tenure_ptr(this));
    remove_reference();
}

// A client whose context has ended discards the message, which ends the member with client_stopped.
void single_lease::release_in(boost::intrusive_ptr<release_group> all, std::size_t place, asio::any_io_executor const&)
{
    auto const c = client();
    if (!c || is_detached()) {
        all->end(place, is_detached() ? errc::empty_lease : errc::client_stopped);
        return drop();
    }
    c->send(
        *boost::intrusive_ptr<member_release>(new member_release(std::move(all), place, tenure_ptr(this))).detach());
    remove_reference();
}

// The lease is the message, so a destructor needs no memory for one (rule 19). The message takes over the reference of the
// lease.
//
// Memory that the holder wrote before it destroyed the lease is visible to the next holder in this process: the mailbox
// publishes a message with release and receives it with acquire.
void single_lease::drop() noexcept
{
    if (auto const c = client())
        c->post(*this);
    else
        discard();
}

// leave() is also called for a lost tenure: its key may still exist after a renewal of unknown outcome (rule 9).
void single_lease::deliver(engine::client_engine& c)
{
    tenure_ptr const self(this, false);
    c.leave(*this, nullptr);
}

}  // namespace holdfast::detail
