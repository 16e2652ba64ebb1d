//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/releaser.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <holdfast/error.hpp>

#include "core/backoff.hpp"
#include "core/recycled.hpp"
#include "engine/arbiter.hpp"
#include "engine/context.hpp"
#include "engine/wire_form.hpp"

namespace holdfast::engine {

class releaser::order final : public core::recycled<order>,
                              public command,
                              public core::deadline,
                              public boost::intrusive::list_base_hook<> {
public:
    order(releaser& r, boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* seller)
        : releaser_(r), grant_(std::move(g)), waiter_(waiter), seller_(seller), queued_(r.context_.now())
    {}

    void begin();
    void send(script_form);
    void abandon();
    grant const& what() const noexcept { return *grant_; }

private:
    void on_answer(answer const&) override;
    void on_due(core::instant now) override;

    void on_applied(std::int64_t count);
    void on_refused(answer const&);
    void try_later();
    void finish(error_code, unsigned heard);
    void tell(error_code);

    context& world() const { return releaser_.context_; }
    core::instant expiry() const { return grant_->expiry(queued_); }
    core::instant patience() const { return queued_ + world().options().command_timeout; }

    releaser& releaser_;
    boost::intrusive_ptr<grant> grant_;
    release_waiter* waiter_;
    boost::intrusive_ptr<arbiter> seller_;
    core::instant queued_;
    core::backoff pauses_{std::chrono::milliseconds(10), std::chrono::seconds(1)};
    bool under_way_ = false;
    bool repeated_ = false;  // an earlier send may have been applied
};

releaser::releaser(context& c) : context_(c) {}

std::size_t releaser::size() const noexcept
{
    return orders_.size();
}

releaser::~releaser()
{
    stop();
}

void releaser::release(boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* seller)
{
    g->retire();
    auto* o = new order(*this, std::move(g), waiter, seller);
    orders_.push_back(*o);
    o->begin();
}

bool releaser::may_join(lock_spec const& lock) const noexcept
{
    return lock.form->joint_release() && !is_joint_refused_;
}

void releaser::gather(order& o)
{
    auto const& lock = o.what().lock();
    auto& all = gathering_[lock.form->joint_release()];
    if (!all) {
        all.reset(new joint_release(*this));
        link().await_turn_end();
    }
    all->add(o, lock, o.what().token());
    if (all->is_full())
        send(all);
}

void releaser::send(std::unique_ptr<joint_release>& gathered)
{
    auto all = std::move(gathered);
    if (all && all->send(link()))
        under_way_.push_back(*all.release());
}

void releaser::flush()
{
    for (auto& [form, all] : gathering_)
        send(all);
}

void releaser::flush(lock_spec const& of)
{
    for (auto& [form, all] : gathering_)
        if (all && all->concerns(of))
            send(all);
}

session& releaser::link() const noexcept
{
    return context_.link();
}

void releaser::on_joint_refused(std::string_view words)
{
    is_joint_refused_ = true;
    context_.account().on_joint_refused(words);
}

std::unique_ptr<joint_release> releaser::take(joint_release& j) noexcept
{
    under_way_.erase(under_way_.iterator_to(j));
    return std::unique_ptr<joint_release>(&j);
}

void releaser::on_open()
{
    is_joint_refused_ = false;
    for (auto& o : orders_)
        o.send(script_form::sha1);
    flush();
}

void releaser::on_closed()
{
    for (auto& [form, gathered] : gathering_)
        if (auto const all = std::move(gathered))
            all->call_off();
}

void releaser::stop()
{
    gathering_.clear();
    under_way_.clear_and_dispose(std::default_delete<joint_release>());
    orders_.clear_and_dispose([](order* o) {
        o->abandon();
        delete o;
    });
}

void releaser::order::begin()
{
    if (world().link().is_open())
        send(script_form::sha1);
    else
        world().arm(*this, patience());
}

void releaser::order::send(script_form form)
{
    if (under_way_)
        return;
    under_way_ = true;
    // The text is sent after a refusal, of which each is to learn its own.
    bool const joins = form == script_form::sha1 && !seller_ && releaser_.may_join(grant_->lock());
    if (joins)
        releaser_.gather(*this);
    else
        grant_->lock().form->release(world().link(), *this, grant_->lock(), grant_->token(), form);
}

void releaser::order::on_answer(answer const& a)
{
    under_way_ = false;
    if (a.outcome == outcome::applied)
        on_applied(a.value.integer);
    else if (a.outcome == outcome::refused)
        on_refused(a);
    else {
        repeated_ = true;
        try_later();
    }
}

// A repeated release that finds nothing is success: the first one did it.
void releaser::order::on_applied(std::int64_t count)
{
    if (count > 0)
        finish({}, static_cast<unsigned>(count - 1));
    else
        finish(repeated_ ? error_code() : errc::lease_lost, 0);
}

void releaser::order::on_refused(answer const& a)
{
    auto const v = judge_failure(a);
    if (v.what == verdict::kind::no_script)
        send(script_form::text);  // a retired token is only ever deleted: there is no state to look at
    else if (v.what == verdict::kind::later || v.error == errc::server_refused)
        try_later();
    else if (v.error == errc::wrong_type)
        finish(errc::lease_lost, 0);
    else {
        world().account().on_refused(v.error, grant_->lock(), a.words);
        finish(v.error, 0);
    }
}

void releaser::order::try_later()
{
    auto const now = world().now();
    if (now >= expiry())
        return finish(errc::unavailable, 0);
    auto when = world().link().is_open() ? now + pauses_.next(world().random()) : expiry();
    if (waiter_)
        when = std::min(when, patience());
    world().arm(*this, std::max(when, now));
}

void releaser::order::on_due(core::instant now)
{
    if (waiter_ && now >= patience())
        tell(errc::unavailable);
    if (now >= expiry() && !under_way_)
        finish(errc::unavailable, 0);
    else if (!under_way_ && world().link().is_open())
        send(script_form::sha1);
    else if (!under_way_)
        world().arm(*this, expiry());
}

void releaser::order::finish(error_code ec, unsigned heard)
{
    auto& r = releaser_;
    r.orders_.erase(r.orders_.iterator_to(*this));
    std::unique_ptr<order> const self(this);
    tell(ec);
    if (seller_)
        seller_->on_released(heard);
    r.context_.on_quieter();
}

void releaser::order::tell(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->released(ec);
}

void releaser::order::abandon()
{
    tell(errc::client_stopped);
}

}  // namespace holdfast::engine
