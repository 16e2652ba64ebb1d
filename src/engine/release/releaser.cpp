//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/release/releaser.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/turn_taking.hpp"
#include "engine/release/release_order.hpp"
#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

releaser::releaser(runtime& r, end_listener& l) : runtime_(r), listener_(l) {}

std::size_t releaser::size() const noexcept
{
    return orders_.size();
}

releaser::~releaser()
{
    stop();
}

void releaser::release(boost::intrusive_ptr<grant> g, release_waiter* waiter, arbiter* yielding)
{
    // Before anything is sent: from here on no renewal or hand-off uses the token (rule 17).
    g->retire();
    auto* o = new order(*this, std::move(g), waiter, yielding, nullptr);
    orders_.push_back(*o);
    o->begin();
}

void releaser::gather(script const& s, order& o)
{
    auto& at = runtime_.shard_of(o.lock());
    // The first release of a batch requests on_turn_end(), which the session calls by itself only after a command.
    if (at.releases().are_allowed() && !at.releases().is_gathering())
        at.session().await_turn_end();
    at.releases().add(s, o.lock().slot, o);
}

void releaser::flush(shard& at)
{
    at.releases().flush();
}

void releaser::flush(lock_spec const& of)
{
    // All calls in these batches are orders.
    auto const is_of_lock = [&](auto const& c) { return static_cast<order const&>(c).lock().has_key_of(of); };
    runtime_.shard_of(of).releases().flush_if(of.slot, is_of_lock);
}

// Rarely more than a comparison: a server loses its scripts when it restarts, or when it has run hundreds of others.
bool releaser::was_overtaken(lock_spec const& of, overtaken_count since) const noexcept
{
    auto const is_such = [&](order const& o) { return o.overtaken() > since && o.lock().has_key_of(of); };
    return overtaken_ > since && std::ranges::any_of(orders_, is_such);
}

void releaser::on_unnoticed(lock_spec const& of)
{
    auto const now = runtime_.now();
    boost::unordered::erase_if(unnoticed_, [now](auto const& entry) { return entry.second <= now; });
    unnoticed_.insert_or_assign(of.key_hash, core::open_slot_turn_end(now));
}

core::instant releaser::unnoticed_until(lock_spec const& of) const noexcept
{
    auto const found = unnoticed_.find(of.key_hash);
    return found == unnoticed_.end() ? core::instant::min() : found->second;
}

void releaser::on_open(shard& at)
{
    at.releases().on_open();
    auto const now = runtime_.now();
    for (auto& o : orders_)
        if (runtime_.is_at(at, o.lock()))
            o.on_open(now);
    auto& history = histories_[at.id()];
    history.on_open(at.session().server(), now);
    repeat(history);
    flush(at);
}

void releaser::on_moved(core::slot_set const& moved)
{
    for (auto& o : orders_)
        if (moved[o.lock().slot])
            o.on_moved();
    auto const now = runtime_.now();
    for (auto at = histories_.begin(); at != histories_.end();) {
        auto& [id, history] = *at;
        auto const kept = runtime_.router()->slots_of(id);
        history.on_left(moved & ~kept, now);
        repeat(history);
        at = kept.none() && history.is_empty() ? histories_.erase(at) : std::next(at);
    }
}

void releaser::repeat(release_history& h)
{
    while (auto g = h.next()) {
        auto* o = new order(*this, std::move(g), nullptr, nullptr, &h);
        orders_.push_back(*o);
        o->begin();
    }
}

void releaser::on_closed(shard& at)
{
    at.releases().on_closed();
}

void releaser::stop()
{
    // First, because batches refer to orders.
    runtime_.for_each_shard([](shard& s) { s.releases().stop(); });
    orders_.clear_and_dispose([](order* o) {
        o->stop();
        delete o;
    });
    histories_.clear();
}

}  // namespace holdfast::engine
