//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/fair_lock.hpp>

#include "core/bounds.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lock.hpp"
#include "scripts_generated.hpp"

namespace holdfast {
namespace detail {
namespace {

single_lock::traits fair_traits(std::string_view key, fair_options const& o)
{
    return {
        .protocol = engine::fair_protocol(),
        .channel = core::unlock_channel(key),
        .counter = o.fencing ? core::fence_key(key) : std::string(),
        .companions = core::fair_companions(key),
        .waiter_timeout = core::bounded(o.waiter_timeout)};
}

// A client refreshes its waiters at most every 500 ms. With a waiter_timeout below that, scripts would take live
// waiters for dead ones; one second tolerates a late refresh.
std::shared_ptr<single_lock const> make_fair(
    client const& c, std::string_view name, std::shared_ptr<engine::owner_state> owner, fair_options const& o)
{
    if (o.waiter_timeout < std::chrono::seconds(1))
        throw std::invalid_argument("waiter_timeout: must be at least 1 s");
    return single_lock::make(c, name, std::move(owner), [&](std::string_view key) { return fair_traits(key, o); });
}

// fair_lock::waiters(): a script that only reads the queue, the scores and the refreshes, in parts.
class waiters_query final : public query<std::vector<waiter>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        auto const& more = lock().companions;
        std::array<std::string_view, 4> const keys{more[0], more[1], more[2], more[3]};
        auto const index = std::to_string(index_);
        std::array<std::string_view, 2> const arguments{index, last_};
        engine::submit_script(to, *this, engine::scripts::fair_waiters, form, keys, arguments);
    }

    // The reply is where the next part begins, and then a flat list of four items for each waiter: its token, the
    // milliseconds for which it counts as alive, its priority, and the milliseconds that it has waited.
    bool has_more(engine::reply const& r) override
    {
        if (r.items.size() < 2)
            return false;
        index_ = r.items[0].integer;
        last_ = r.items[1].text;
        for (auto rest = r.items.subspan(2); rest.size() >= 4; rest = rest.subspan(4))
            all_.push_back(to_waiter(rest));
        return index_ > 0;
    }
    std::vector<waiter> read(engine::reply const&) override { return std::move(all_); }

    waiter to_waiter(std::span<engine::reply const> items) const
    {
        auto recorded = to_holder({.id = items[0].text});
        waiter w{.id = std::move(recorded.id), .label = std::move(recorded.label)};
        w.mine = std::string_view(w.id).starts_with(engine().runtime().tokens().id());
        w.priority = static_cast<int>(items[2].integer);
        if (items[3].integer >= 0)
            w.waited = std::chrono::milliseconds(items[3].integer);
        w.remaining = std::chrono::milliseconds(items[1].integer);
        return w;
    }

    std::int64_t index_ = 0;
    std::string last_;
    std::vector<waiter> all_;
};

}  // namespace

void start_waiters(handler_at<void(error_code, std::vector<waiter>)> h, lock_ptr of)
{
    // The constructors of fair_lock and election make a single_lock.
    launch_query<waiters_query>(static_cast<single_lock const&>(*of), std::move(h));
}

}  // namespace detail

// Without an owner each acquire is a contender of its own.
fair_lock::fair_lock(client const& c, std::string_view name, options o)
    : lock_base(detail::make_fair(c, name, nullptr, o))
{}

fair_lock::fair_lock(client const& c, std::string_view name, holdfast::owner owner, options o)
    : lock_base(detail::make_fair(c, name, detail::single_lock::at_home(c, std::move(owner.state_)), o))
{}

}  // namespace holdfast
