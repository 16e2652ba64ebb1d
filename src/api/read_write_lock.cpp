//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <holdfast/read_write_lock.hpp>

#include "core/bounds.hpp"
#include "engine/port/script_call.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lock.hpp"
#include "scripts_generated.hpp"

namespace holdfast {
namespace detail {
namespace {

class waiting_writer_query final : public query<std::optional<waiter>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        std::array<std::string_view, 1> const keys{lock().companions.front()};
        engine::submit_script(to, *this, engine::scripts::read_write_waiting, form, keys, {});
    }

    std::optional<waiter> read(engine::reply const& r) override
    {
        if (r.items.size() != 2)
            return std::nullopt;
        std::chrono::milliseconds const remaining(r.items[1].integer);
        auto recorded = to_holder({.id = r.items[0].text, .remaining = remaining, .is_writer = true});
        waiter w{.id = std::move(recorded.id), .label = std::move(recorded.label)};
        w.mine = std::string_view(w.id).starts_with(engine().runtime().tokens().id());
        w.remaining = remaining;
        return w;
    }
};

}  // namespace

void start_waiting_writer(handler_at<void(error_code, std::optional<waiter>)> h, lock_ptr of)
{
    launch_query<waiting_writer_query>(static_cast<single_lock const&>(*of), std::move(h));
}

}  // namespace detail

namespace {

using namespace std::chrono_literals;
using detail::single_lock;
using single_lock_ptr = std::shared_ptr<single_lock const>;

constexpr auto shortest_watchdog = 100ms;     // it limits the validity of a read, like the shortest lease time (rule 3)
constexpr core::duration shortest_mark = 1s;  // however short poll_interval is: read_write_lock.hpp documents it

// Called for the side of the readers, which is initialized first, so it protects both.
rw_options const& checked(rw_options const& o)
{
    if (o.peer_watchdog != 0ms && o.peer_watchdog < shortest_watchdog)
        throw std::invalid_argument("peer_watchdog: must be 0 or at least 100 ms");
    return o;
}

// The mark of a waiting writer keeps new readers out. The waiter refreshes it with each attempt, at least once in a
// poll_interval: so the mark survives one refresh that is lost, and expires soon after its process has died.
core::duration mark_lifetime(config const& c)
{
    return std::max<core::duration>(2 * c.poll_interval, shortest_mark);
}

// Makes one of the two locks of a read_write_lock. They have the same keys and channel: the server arbitrates between
// them. `reader` is null for the side of the readers. For the side of the writers it is the spec of the readers: a
// downgrade acquires the read with it.
single_lock_ptr make_side(
    client const& c,
    std::string_view name,
    rw_options const& o,
    std::shared_ptr<engine::owner_state> owner,
    std::shared_ptr<engine::lock_spec const> reader)
{
    bool const is_fenced = o.fencing && reader;  // readers change nothing, so a read needs no fencing token
    auto const& protocol = reader ? engine::write_protocol() : engine::read_protocol();
    engine::rw_rules rules{
        o.prefer, core::bounded(o.peer_watchdog), mark_lifetime(single_lock::options_of(c)), std::move(reader)};
    return single_lock::make(c, name, std::move(owner), [&](std::string_view key) -> single_lock::traits {
        return {
            .protocol = protocol,
            .channel = core::rw_channel(key),
            .counter = is_fenced ? core::fence_key(key) : std::string(),
            .companions = core::rw_companions(key),
            .rules = std::make_shared<engine::rw_rules const>(std::move(rules))};
    });
}

}  // namespace

read_write_lock::read_write_lock(client const& c, std::string_view name, options o)
    : read_(make_side(c, name, checked(o), nullptr, nullptr)),
      write_(make_side(c, name, o, nullptr, detail::lock_of(*read_.state())))
{}

read_write_lock::read_write_lock(client const& c, std::string_view name, holdfast::owner owner, options o)
    // at_home() throws for an owner of another client, before either side exists.
    : read_(make_side(c, name, checked(o), single_lock::at_home(c, owner.state_), nullptr)),
      write_(make_side(c, name, o, owner.state_, detail::lock_of(*read_.state())))
{}

std::string_view read_write_lock::name() const noexcept
{
    return read_.name();
}

}  // namespace holdfast
