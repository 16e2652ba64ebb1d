//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/leader_watch.hpp"

#include <algorithm>

#include "engine/client_engine.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "operations/leader_state.hpp"
#include "operations/lock_query.hpp"
#include "operations/operation.hpp"

namespace holdfast::detail {

// leader_watch::next(). Waits in its follower, which it leaves when it is cancelled.
class next_operation final : public operation<engine::request, std::optional<leader>> {
public:
    next_operation(handler_type h, std::shared_ptr<client_state> const& home, boost::intrusive_ptr<leader_follower> f)
        : operation(std::move(h), home), follower_(std::move(f))
    {}

    void end(std::optional<leader> const& now) { finish({}, now); }
    void fail(described_error ec) { finish(std::move(ec), nobody_); }

private:
    std::string_view subject() const noexcept override { return follower_->name(); }
    void begin(engine::client_engine& c) override { follower_->wait(c, *this); }
    void cancel(engine::client_engine&) override
    {
        follower_->forget(*this);
        fail(asio::error::operation_aborted);
    }

    boost::intrusive_ptr<leader_follower> const follower_;
    // No temporary: with the sanitizers GCC 12 takes the string in one for uninitialised.
    std::optional<leader> const nobody_;
};

leader_follower::leader_follower(single_lock const& of) : watch(lock_of(of), of.lock.candidacy->channel) {}

void leader_follower::wait(engine::client_engine& c, next_operation& op)
{
    if (auto const ec = c.runtime().admission_error(lock()))
        return op.fail(ec);
    if (waiting_)
        return op.fail({errc::invalid_option, make_error_text("next: is called already")});
    waiting_ = &op;
    if (!is_joined())
        c.join(*this);
    tell();
}

void leader_follower::forget(next_operation const& op) noexcept
{
    if (waiting_ == &op)
        waiting_ = nullptr;
}

void leader_follower::end(client_state& home) noexcept
{
    intrusive_ptr_add_ref(this);
    home.send(end_);
}

void leader_follower::end_message::deliver(engine::client_engine& c)
{
    boost::intrusive_ptr<leader_follower> const keep(&of, false);
    c.leave(of);
    of.complete(asio::error::operation_aborted);
}

void leader_follower::submit(engine::session& to, engine::command& c, engine::script_form form)
{
    engine::read_leader(to, c, lock(), form);
}

// After a failover to a server that has not the latest writes, the state may be an older one: it is left out until a
// newer term begins.
core::duration leader_follower::on_state(engine::reply const& r)
{
    auto read = read_leader_state(r, runtime().tokens().id());
    auto const term = read.now ? read.now->term : 0;
    if (term == 0 || term >= newest_term_)
        known_ = std::move(read.now);
    newest_term_ = std::max(newest_term_, term);
    tell();
    return read.changes_after;
}

void leader_follower::tell()
{
    if (!waiting_ || !known_ || known_ == told_)
        return;
    told_ = known_;
    std::exchange(waiting_, nullptr)->end(*told_);
}

void leader_follower::complete(described_error const& ec)
{
    if (auto* const op = std::exchange(waiting_, nullptr))
        op->fail(ec);
}

leader_watch_impl::leader_watch_impl(single_lock const& of)
    : of_(std::static_pointer_cast<single_lock const>(of.shared_from_this())), follower_(new leader_follower(of))
{}

leader_watch_impl::~leader_watch_impl()
{
    if (auto const c = of_->home())
        follower_->end(*c);
}

asio::any_io_executor leader_watch_impl::executor() const noexcept
{
    return executor_of(lock_ptr(of_));
}

void leader_watch_impl::next(handler_at<void(error_code, std::optional<leader>)> h)
{
    auto const c = of_->home();
    if (auto const ec = precondition_error(*of_, c))
        return complete_early<std::optional<leader>>(std::move(h), ec, {});
    launch<next_operation>(c, std::move(h), follower_);
}

}  // namespace holdfast::detail
