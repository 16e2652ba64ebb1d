//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/renewal_sender.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <string_view>
#include <utility>

#include <boost/container/small_vector.hpp>

#include <holdfast/error.hpp>

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
class renewal_sender::batch final : public command, public boost::intrusive::list_base_hook<> {
public:
    explicit batch(renewal_sender& s) : sender_(s) {}

    void add(grant& g)
    {
        auto const lease = g.renewal();
        g.on_asked(lease);
        items_.push_back({&g, lease});
    }
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

    renewal_sender& sender_;
    std::vector<item> items_;
};

void renewal_sender::batch::send(script_form form)
{
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments;
    boost::container::small_vector<milliseconds_text, batch_size> leases;
    leases.reserve(items_.size());  // the arguments are views of its elements
    for (auto const& i : items_) {
        assert(is_alive(*i.what, sender_.context_.now()));
        auto const& g = *i.what;
        g.lock().form->add_renewal_keys(g.lock(), g.own_key(), keys);
        arguments.push_back(g.token());
        arguments.push_back(leases.emplace_back(i.lease));
    }
    auto const& s = items_.front().what->lock().form->renewal();
    submit_script(sender_.context_.link(), *this, s, form, keys, arguments);
}

void renewal_sender::batch::on_answer(answer const& a)
{
    bool const complete = a.outcome == outcome::applied && a.value.type == reply::kind::array
                          && a.value.items.size() == items_.size();
    // NOSCRIPT: not applied. Sending the text is a new decision about those that are still held.
    if (a.why == refusal::no_script && drop_dead())
        return send(script_form::text);
    if (a.outcome == outcome::refused && a.why != refusal::no_script)
        sender_.context_.account().on_refused(judge_failure(a).error, items_.front().what->lock(), a.words);
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (complete)
            judge(items_[i], a, a.value.items[i].integer);
        else
            sender_.events_.on_unanswered(*items_[i].what);
    finish();
}

void renewal_sender::batch::judge(item const& i, answer const& a, std::int64_t word)
{
    if (!i.what->is_held() || i.what->is_retired())
        return;
    if (word == gone)
        sender_.events_.on_key_missing(*i.what);
    else
        sender_.events_.on_kept(*i.what, nullptr, a, i.lease, word == kept_closed);
}

bool renewal_sender::batch::drop_dead()
{
    auto const now = sender_.context_.now();
    std::erase_if(items_, [&](item const& i) { return !is_alive(*i.what, now); });
    return !items_.empty();
}

void renewal_sender::batch::finish()
{
    sender_.batches_.erase(sender_.batches_.iterator_to(*this));
    delete this;
}

// One grant, for which somebody waits.
class renewal_sender::extension final : public command, public boost::intrusive::list_base_hook<> {
public:
    extension(renewal_sender& s, grant& g, tenure* t, core::duration lease, extension_waiter* w)
        : sender_(s), grant_(&g), tenure_(t), lease_(lease), waiter_(w)
    {}

    void send(script_form);
    void finish(error_code);

private:
    void on_answer(answer const&) override;
    error_code judge(answer const&);
    bool is_wanted() const { return !grant_->is_retired() && (tenure_ ? tenure_->is_holding() : grant_->is_held()); }

    renewal_sender& sender_;
    boost::intrusive_ptr<grant> grant_;
    boost::intrusive_ptr<tenure> tenure_;
    core::duration lease_;
    extension_waiter* waiter_;
};

void renewal_sender::extension::send(script_form form)
{
    assert(is_alive(*grant_, sender_.context_.now()));
    grant_->on_asked(lease_);
    milliseconds_text const lease(lease_);
    std::vector<std::string_view> keys;
    grant_->lock().form->add_renewal_keys(grant_->lock(), grant_->own_key(), keys);
    std::array<std::string_view, 2> const arguments{grant_->token(), lease};
    submit_script(sender_.context_.link(), *this, grant_->lock().form->renewal(), form, keys, arguments);
}

void renewal_sender::extension::on_answer(answer const& a)
{
    if (a.why == refusal::no_script && is_alive(*grant_, sender_.context_.now()))
        return send(script_form::text);
    auto const ec = judge(a);
    sender_.extensions_.erase(sender_.extensions_.iterator_to(*this));
    finish(ec);
    delete this;
}

error_code renewal_sender::extension::judge(answer const& a)
{
    if (!is_wanted())
        return errc::lease_lost;
    if (a.outcome == outcome::refused)
        return judge_failure(a).error ? judge_failure(a).error : errc::unavailable;
    if (a.outcome == outcome::unknown || a.value.items.size() != 1) {
        sender_.events_.on_unanswered(*grant_);
        return errc::unavailable;
    }
    auto const word = a.value.items.front().integer;
    if (word == gone)
        sender_.events_.on_key_missing(*grant_);
    else if (sender_.events_.on_kept(*grant_, tenure_.get(), a, lease_, word == kept_closed))
        return {};
    return errc::lease_lost;
}

void renewal_sender::extension::finish(error_code ec)
{
    if (auto* w = std::exchange(waiter_, nullptr))
        w->extended(ec);
}

renewal_sender::renewal_sender(context& c, renewal_events& e) : context_(c), events_(e) {}

renewal_sender::~renewal_sender()
{
    stop();
}

void renewal_sender::renew(std::vector<boost::intrusive_ptr<grant>> due)
{
    auto const now = context_.now();
    std::erase_if(due, [&](auto const& g) { return !is_alive(*g, now); });
    std::ranges::sort(due, std::less<>(), [](auto const& g) { return &g->lock().form->renewal(); });
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

void renewal_sender::extend(grant& g, tenure* t, core::duration lease, extension_waiter* waiter)
{
    auto* e = new extension(*this, g, t, lease, waiter);
    extensions_.push_back(*e);
    e->send(script_form::sha1);
}

void renewal_sender::stop()
{
    batches_.clear_and_dispose([](batch* b) { delete b; });
    extensions_.clear_and_dispose([](extension* e) {
        e->finish(errc::client_stopped);
        delete e;
    });
}

}  // namespace holdfast::engine
