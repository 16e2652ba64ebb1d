//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/hold/owner_state.hpp"

#include "engine/hold/arbiter.hpp"
#include "engine/protocol/lock_protocol.hpp"

namespace holdfast::engine {
namespace {

bool is_same_side(lock_spec const& a, lock_spec const& b) noexcept
{
    return a.protocol->side() == b.protocol->side();
}

}  // namespace

std::string_view owner_state::key_of::operator()(arbiter const& a) const noexcept
{
    return a.lock().key;
}

tenure* owner_state::tenure_of(lock_spec const& lock, core::instant now) const
{
    return tenure_of(lock, lock.protocol->side(), now);
}

tenure* owner_state::tenure_of(lock_spec const& lock, std::uint8_t side, core::instant now) const
{
    std::scoped_lock const guard(mutex_);
    auto const same_key = held_.of(lock.key);
    auto const found = std::ranges::find_if(
        same_key, [&](auto const* t) { return t->lock().protocol->side() == side && now < t->valid_until(); });
    return found == same_key.end() ? nullptr : *found;
}

bool owner_state::waits_for(lock_spec const& lock) const
{
    return !waits_.of(lock.key).empty();
}

std::vector<boost::intrusive_ptr<arbiter>> owner_state::waits_at(lock_spec const& lock) const
{
    std::vector<boost::intrusive_ptr<arbiter>> found;
    for (auto* a : waits_.of(lock.key))
        // An arbiter is in the bag once for each contender of the owner.
        if (is_same_side(a->lock(), lock) && std::ranges::count(found, a) == 0)
            found.emplace_back(a);
    return found;
}

}  // namespace holdfast::engine
