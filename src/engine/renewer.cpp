//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/renewer.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <holdfast/error.hpp>

#include "core/validity.hpp"
#include "engine/arbiter.hpp"
#include "engine/context.hpp"
#include "engine/tenure.hpp"
#include "engine/wire_form.hpp"

namespace holdfast::engine {
namespace {

constexpr std::size_t batch_size = 100;

// What may still be renewed: nothing after a release was queued, after a loss, or after the local deadline.
bool is_alive(grant const& g, core::instant now) noexcept
{
    return !g.is_retired() && g.lasts(now);
}

// The replies of a renewal script.
constexpr std::int64_t gone = 0;
constexpr std::int64_t kept_closed = 2;

}  // namespace

// Up to a hundred grants of one wire form, in one script call.
class renewer::batch final : public command, public boost::intrusive::list_base_hook<> {
public:
    explicit batch(renewer& r) : renewer_(r) {}

    void add(grant& g) { items_.push_back({&g, g.renewal()}); }
    void send(script_form);

private:
    struct item {
        boost::intrusive_ptr<grant> what;
        core::duration lease;
    };

    void on_answer(answer const&) override;
    void judge(item const&, answer const&, std::int64_t word);
    bool drop_dead();
    void finish();

    renewer& renewer_;
    std::vector<item> items_;
};

void renewer::batch::send(script_form form)
{
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments;
    boost::container::small_vector<milliseconds_text, batch_size> leases;
    leases.reserve(items_.size());  // the arguments are views of its elements
    for (auto const& i : items_) {
        assert(is_alive(*i.what, renewer_.context_.now()));
        auto const& g = *i.what;
        g.lock().form->add_renewal_keys(g.lock(), g.own_key(), keys);
        arguments.push_back(g.token());
        arguments.push_back(leases.emplace_back(i.lease));
    }
    auto const& s = items_.front().what->lock().form->renewal();
    submit_script(renewer_.context_.link(), *this, s, form, keys, arguments);
}

void renewer::batch::on_answer(answer const& a)
{
    bool const complete = a.outcome == outcome::applied && a.value.type == reply::kind::array
                          && a.value.items.size() == items_.size();
    // NOSCRIPT: not applied. Sending the text is a new decision about those that are still held.
    if (a.why == refusal::no_script && drop_dead())
        return send(script_form::text);
    if (a.outcome == outcome::refused && a.why != refusal::no_script)
        renewer_.context_.account().on_refused(judge_failure(a).error, items_.front().what->lock(), a.words);
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (complete)
            judge(items_[i], a, a.value.items[i].integer);
        else
            renewer_.doubt(*items_[i].what);
    finish();
}

// Matched by token: the grant, not the name, says whose answer this is.
void renewer::batch::judge(item const& i, answer const& a, std::int64_t word)
{
    if (!i.what->is_held() || i.what->is_retired())
        return;
    if (word == gone)
        renewer_.lose_all(*i.what, loss::gone);
    else
        renewer_.accept(*i.what, nullptr, a, i.lease, word == kept_closed);
}

bool renewer::batch::drop_dead()
{
    auto const now = renewer_.context_.now();
    std::erase_if(items_, [&](item const& i) { return !is_alive(*i.what, now); });
    return !items_.empty();
}

void renewer::batch::finish()
{
    renewer_.batches_.erase(renewer_.batches_.iterator_to(*this));
    delete this;
}

// One grant, for which somebody waits.
class renewer::extension final : public command, public boost::intrusive::list_base_hook<> {
public:
    extension(renewer& r, grant& g, tenure* t, core::duration lease, extension_waiter* w)
        : renewer_(r), grant_(&g), tenure_(t), lease_(lease), waiter_(w)
    {}

    void send(script_form);
    void finish(error_code);

private:
    void on_answer(answer const&) override;
    error_code judge(answer const&);
    bool is_wanted() const { return !grant_->is_retired() && (tenure_ ? tenure_->is_linked() : grant_->is_held()); }

    renewer& renewer_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<tenure> tenure_;
    core::duration lease_;
    extension_waiter* waiter_;
};

void renewer::extension::send(script_form form)
{
    assert(is_alive(*grant_, renewer_.context_.now()));
    milliseconds_text const lease(lease_);
    std::vector<std::string_view> keys;
    grant_->lock().form->add_renewal_keys(grant_->lock(), grant_->own_key(), keys);
    std::array<std::string_view, 2> const arguments{grant_->token(), lease};
    submit_script(renewer_.context_.link(), *this, grant_->lock().form->renewal(), form, keys, arguments);
}

void renewer::extension::on_answer(answer const& a)
{
    if (a.why == refusal::no_script && is_alive(*grant_, renewer_.context_.now()))
        return send(script_form::text);
    auto const ec = judge(a);
    renewer_.extensions_.erase(renewer_.extensions_.iterator_to(*this));
    finish(ec);
    delete this;
}

error_code renewer::extension::judge(answer const& a)
{
    if (!is_wanted())
        return errc::lease_lost;
    if (a.outcome == outcome::refused)
        return judge_failure(a).error ? judge_failure(a).error : errc::unavailable;
    if (a.outcome == outcome::unknown || a.value.items.size() != 1) {
        renewer_.doubt(*grant_);
        return errc::unavailable;
    }
    auto const word = a.value.items.front().integer;
    if (word == gone)
        renewer_.lose_all(*grant_, loss::gone);
    else if (renewer_.accept(*grant_, tenure_.get(), a, lease_, word == kept_closed))
        return {};
    return errc::lease_lost;
}

void renewer::extension::finish(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->extended(ec);
}

renewer::renewer(context& c) : context_(c) {}

renewer::~renewer()
{
    stop();
}

void renewer::watch(grant& g)
{
    assert(g.is_held() && !g.is_retired() && !g.watcher);
    g.watcher = this;
    g.asked_since.reset();
    g.at_risk = false;
    watched_.push_back(g);
    arm(g);
}

// Many may join at once: what is armed is only moved forward.
void renewer::attend(grant& g, tenure const& t)
{
    auto const stop = t.valid_until() - core::stop_margin(g.period());
    auto const due = t.conditions().renewed ? std::min(stop, next_ask(g)) : stop;
    if (!g.is_armed() || due < g.due())
        context_.arm(g, due);
}

void renewer::unwatch(grant& g)
{
    if (!g.watcher)
        return;
    g.watcher = nullptr;
    watched_.erase(watched_.iterator_to(g));
    context_.disarm(g);
}

void renewer::extend(grant& g, tenure* t, core::duration lease, extension_waiter* waiter)
{
    if (!context_.link().is_open()) {
        if (waiter)
            waiter->extended(errc::unavailable);
        return;
    }
    auto* e = new extension(*this, g, t, lease, waiter);
    extensions_.push_back(*e);
    e->send(script_form::sha1);
}

core::instant renewer::next_ask(grant const& g) const
{
    auto const again = g.asked_last + core::renewal_retry(g.period());
    return g.asked_since ? again : std::max(again, core::renewal_due(g.confirmed(), g.period()));
}

void renewer::arm(grant& g)
{
    auto end = core::never;
    for (auto const& t : g.holders())
        end = std::min(end, t.valid_until());
    auto const stop = end - core::stop_margin(g.period());
    context_.arm(g, g.is_kept() ? std::min(stop, next_ask(g)) : stop);
}

void renewer::on_due(grant& due, core::instant now)
{
    boost::intrusive_ptr<grant> const g(&due);
    lose_due(*g, now + core::stop_margin(g->period()));
    if (!g->is_held())
        return;
    if (g->is_kept() && now >= next_ask(*g)) {
        bool const is_ignored = g->asked_since && now - *g->asked_since >= core::renewal_interval(g->period());
        if (is_ignored && context_.link().is_open())
            context_.link().drop("renewals were not answered");
        ask(*g, now);
    }
    arm(*g);
}

// Those who are valid no longer than that.
void renewer::lose_due(grant& g, core::instant end)
{
    for (auto next = g.holders().begin(); next != g.holders().end();) {
        auto& t = *next++;
        if (end < t.valid_until())
            continue;
        bool const is_limited = t.conditions().max_hold > core::duration::zero();
        bool const by_limit = is_limited && t.valid_until() == t.own_end();
        g.home->lose(t, by_limit ? loss::max_hold : loss::expired);
    }
}

void renewer::lose_all(grant& g, loss why)
{
    boost::intrusive_ptr<grant> const keep(&g);
    while (g.is_held())
        g.home->lose(g.holders().front(), why);
}

void renewer::ask(grant& g, core::instant now)
{
    g.asked_last = now;
    // Nobody may ever look at a lease that its handler has not taken up: it is left to run out.
    if (std::ranges::none_of(g.holders(), [](tenure const& t) { return t.is_taken_up(); }))
        return;
    if (g.asked_since || !context_.link().is_open())
        doubt(g);
    if (!g.asked_since)
        g.asked_since = now;
    if (context_.link().is_open())
        due_.emplace_back(&g);
}

void renewer::doubt(grant& g)
{
    if (!g.is_held() || g.is_retired() || std::exchange(g.at_risk, true))
        return;
    if (!g.asked_since)
        g.asked_since = g.asked_last = context_.now();
    for (auto& t : g.holders()) {
        t.set_state(lease_state::at_risk);
        context_.account().on_at_risk(t);
    }
}

// False when it came too late: a renewal does not revive what had run out.
bool renewer::accept(grant& g, tenure* extended, answer const& a, core::duration lease, bool is_closed)
{
    boost::intrusive_ptr<grant> const keep(&g);
    lose_due(g, context_.now());
    if (!g.is_held() || (extended && !extended->is_linked()))
        return false;
    g.confirm(a.sent, lease);
    g.is_closed = is_closed;
    g.asked_since.reset();
    if (extended && !extended->conditions().renewed)
        extended->set_own_end(std::max(extended->own_end(), core::valid_until(a.sent, lease)));
    bool const is_relief = std::exchange(g.at_risk, false);
    for (auto& t : g.holders()) {
        if (is_relief)
            t.set_state(lease_state::held);
        if (t.is_taken_up() || &t == extended)
            t.set_valid_until(g.valid_until());
    }
    context_.account().on_renewed(context_.now() - a.sent);
    arm(g);
    return true;
}

void renewer::flush()
{
    auto due = std::exchange(due_, {});
    auto const now = context_.now();
    std::erase_if(due, [&](auto const& g) { return !is_alive(*g, now); });
    if (due.empty() || !context_.link().is_open())
        return;
    std::ranges::stable_sort(due, std::less<>(), [](auto const& g) { return &g->lock().form->renewal(); });
    for (std::size_t i = 0; i < due.size();) {
        auto* b = new batch(*this);
        batches_.push_back(*b);
        auto const* script = &due[i]->lock().form->renewal();
        for (auto const end = std::min(due.size(), i + batch_size);
             i < end && &due[i]->lock().form->renewal() == script;
             ++i)
            b->add(*due[i]);
        b->send(script_form::sha1);
    }
}

// A new epoch asks for every grant at once: the server may have restarted without them.
void renewer::on_open()
{
    auto const now = context_.now();
    for (auto& g : watched_)
        if (g.is_kept() && std::ranges::any_of(g.holders(), [](tenure const& t) { return t.is_taken_up(); })) {
            g.asked_last = now;
            if (!g.asked_since)
                g.asked_since = now;
            due_.emplace_back(&g);
            arm(g);
        }
    flush();
}

void renewer::on_closed()
{
    due_.clear();
}

void renewer::stop()
{
    due_.clear();
    batches_.clear_and_dispose([](batch* b) { delete b; });
    extensions_.clear_and_dispose([](extension* e) {
        e->finish(errc::client_stopped);
        delete e;
    });
    while (!watched_.empty())
        unwatch(watched_.front());
}

}  // namespace holdfast::engine
