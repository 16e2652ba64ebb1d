//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <stdexcept>

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

// fair_lock::waiters(): a script that only reads the queue, the scores and the refreshes.
class waiters_query final : public query<std::vector<holder>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        auto const& more = lock().companions;
        std::array<std::string_view, 3> const keys{more[0], more[1], more[2]};
        engine::submit_script(to, *this, engine::scripts::fair_waiters, form, keys, {});
    }

    // The reply is a flat list: the token of a waiter, then the milliseconds for which it counts as alive.
    std::vector<holder> read(engine::reply const& r) override
    {
        std::vector<holder> all;
        for (std::size_t i = 0; i + 1 < r.items.size(); i += 2)
            all.push_back(
                to_holder({.id = r.items[i].text, .remaining = std::chrono::milliseconds(r.items[i + 1].integer)}));
        return all;
    }
};

}  // namespace

void waiters_launch::start(handler_at<void(error_code, std::vector<holder>)> h) &&
{
    // make_fair() is the only function that makes the implementation of a fair_lock.
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

detail::waiters_launch fair_lock::query_waiters() const
{
    return {{state()}};
}

}  // namespace holdfast
