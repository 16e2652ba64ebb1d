//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/semaphore.hpp>

#include "core/bounds.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lock.hpp"

namespace holdfast {
namespace detail {
namespace {

permit_count to_count(std::int64_t total, std::int64_t held)
{
    return {
        .total = static_cast<unsigned>(std::max<std::int64_t>(total, 0)),
        .held = static_cast<unsigned>(held),
        .free = total < 0 ? 0 : total - held};
}

// The reply of permits_count, and of permits_set: (permits, held). permits_set replies with the number before it, or after
// an addition.
class permits_query : public query<permit_count> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        engine::count_permits(to, *this, lock(), form);
    }

    permit_count read(engine::reply const& r) override
    {
        return r.items.size() == 2 ? to_count(r.items[0].integer, r.items[1].integer) : permit_count();
    }
};

class set_permits_query final : public permits_query {
public:
    set_permits_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        unsigned permits)
        : permits_query(std::move(h), home, std::move(lock)), permits_(permits)
    {}

private:
    void send(engine::session& to, engine::script_form form) override
    {
        engine::set_permits(to, *this, lock(), permits_, form);
    }

    unsigned const permits_;
};

// A numbered semaphore: the script of an acquire looks at all numbers.
unsigned most_permits(bool numbered) noexcept
{
    return numbered ? 128 : std::numeric_limits<unsigned>::max();
}

class add_permits_query final : public permits_query {
public:
    add_permits_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        int by)
        : permits_query(std::move(h), home, std::move(lock)), by_(by)
    {}

private:
    void send(engine::session& to, engine::script_form form) override
    {
        engine::add_permits(to, *this, lock(), by_, most_permits(lock().is_fenced()), form);
    }

    int const by_;
};

class revoke_query final : public query<bool> {
public:
    revoke_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        std::string holder)
        : query(std::move(h), home, std::move(lock)), holder_(std::move(holder))
    {}

private:
    void send(engine::session& to, engine::script_form form) override
    {
        engine::revoke_permits(to, *this, lock(), holder_, form);
    }
    bool read(engine::reply const& r) override { return r.integer > 0; }

    std::string const holder_;
};

// In the order in which the scripts expect them in KEYS. Only our scripts use those with a prefix.
std::vector<std::string> companions_of(std::string_view key, semaphore_options const& o)
{
    std::vector<std::string> all{core::suffixed(key, "timeout")};
    if (!o.fair)
        all.push_back(core::prefixed("holdfast_permit_waiting", key));
    if (o.numbered)
        all.push_back(core::prefixed("holdfast_permit_numbers", key));
    if (o.fair) {
        all.push_back(core::prefixed("holdfast_permit_queue", key));
        all.push_back(core::prefixed("holdfast_permit_waiters", key));
    }
    return all;
}

single_lock::traits permit_traits(std::string_view key, semaphore_options const& o)
{
    return {
        .protocol = o.numbered ? engine::numbered_semaphore_protocol() : engine::semaphore_protocol(o.fair),
        .channel = core::permit_channel(key),
        .counter = o.numbered ? core::fence_key(key) : std::string(),
        .companions = companions_of(key, o),
        .waiter_timeout = core::bounded(o.waiter_timeout),
        .weight = "1",
        .semaphore = std::make_shared<engine::permit_rules>(
            engine::permit_rules{.permits = o.permits, .with_redisson = o.with_redisson})};
}

// Why a semaphore cannot have so many permits; empty: it can.
std::string_view permits_error(unsigned permits, bool numbered) noexcept
{
    return permits > most_permits(numbered) ? "permits: must be at most 128 of a numbered semaphore" : "";
}

// As for a fair lock.
std::shared_ptr<single_lock const> make_semaphore(client const& c, std::string_view name, semaphore_options const& o)
{
    if (o.waiter_timeout < std::chrono::seconds(1))
        throw std::invalid_argument("waiter_timeout: must be at least 1 s");
    if (o.numbered && o.fair)
        throw std::invalid_argument("numbered: not an option of a fair semaphore");
    if (auto const what = permits_error(o.permits, o.numbered); !what.empty())
        throw std::invalid_argument(std::string(what));
    return single_lock::make(c, name, nullptr, [&](std::string_view key) { return permit_traits(key, o); });
}

}  // namespace

// The constructor of a semaphore makes a single_lock.
void start_permits(handler_at<void(error_code, permit_count)> h, lock_ptr of)
{
    launch_query<permits_query>(static_cast<single_lock const&>(*of), std::move(h));
}

void start_set_permits(handler_at<void(error_code, permit_count)> h, lock_ptr of, unsigned permits)
{
    auto const& s = static_cast<single_lock const&>(*of);
    auto const what = permits_error(permits, s.lock.is_fenced());
    if (auto const c = of->home(); c && !what.empty())
        return complete_early<permit_count>(std::move(h), c->refuse(s.lock.name, what), {});
    launch_query<set_permits_query>(s, std::move(h), permits);
}

void start_add_permits(handler_at<void(error_code, permit_count)> h, lock_ptr of, int by)
{
    auto const& s = static_cast<single_lock const&>(*of);
    if (auto const c = of->home(); c && by == 0)
        return complete_early<permit_count>(std::move(h), c->refuse(s.lock.name, "by: must not be 0"), {});
    launch_query<add_permits_query>(s, std::move(h), by);
}

void start_revoke(handler_at<void(error_code, bool)> h, lock_ptr of, std::string holder)
{
    auto const& s = static_cast<single_lock const&>(*of);
    if (auto const c = of->home(); c && holder.empty())
        return complete_early<bool>(std::move(h), c->refuse(s.lock.name, "holder_id: must not be empty"), false);
    launch_query<revoke_query>(s, std::move(h), std::move(holder));
}

}  // namespace detail

semaphore::semaphore(client const& c, std::string_view name, options o) : lock_base(detail::make_semaphore(c, name, o))
{}

}  // namespace holdfast
