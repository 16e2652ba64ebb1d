//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/lock_spec.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "core/hash_slot.hpp"

namespace holdfast::engine {
namespace {

// Copies a word to the free part of the buffer, and advances to what is still free.
std::string_view place(std::string_view word, char*& next) noexcept
{
    auto* const from = std::exchange(next, std::ranges::copy(word, next).out);
    return {from, word.size()};
}

std::size_t size_of(lock_spec::words const& w) noexcept
{
    return w.prefix.size() + w.name.size() + w.channel.size() + w.counter.size() + w.label.size() + w.weight.size();
}

}  // namespace

lock_spec::lock_spec(lock_protocol const& f, words const& w, std::vector<std::string> more)
    : text_(std::make_unique_for_overwrite<char[]>(size_of(w))), protocol(&f), companions(std::move(more))
{
    auto* next = text_.get();
    // Prefix and name first, and without a gap: together they are the key.
    place(w.prefix, next);
    name = place(w.name, next);
    key = {text_.get(), w.prefix.size() + w.name.size()};
    key_hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(key));
    slot = core::hash_slot(key);
    channel = place(w.channel, next);
    counter = place(w.counter, next);
    label = place(w.label, next);
    weight = place(w.weight, next);
}

lock_spec lock_spec::with_weight(std::string_view w) const
{
    return like(w);
}

bool candidacy::is_healthy() const noexcept
{
    try {
        return !healthy || healthy();
    } catch (...) {
        return false;
    }
}

std::array<std::string_view, 4> candidacy::record_in(std::string_view t)
{
    if (term != t) {
        term = t;
        proclaimed.reset();
    }
    rank = std::to_string(priority);
    return {term, proclaimed ? *proclaimed : value, rank, channel};
}

lock_spec lock_spec::with_candidate(std::string_view value, int priority) const
{
    auto who = *candidacy;
    who.value = value;
    who.priority = priority;
    auto other = like(weight);
    other.candidacy = std::make_shared<engine::candidacy>(std::move(who));
    return other;
}

unsigned lock_spec::permits() const noexcept
{
    unsigned n = 0;
    std::from_chars(weight.data(), weight.data() + weight.size(), n);
    return n;
}

lock_spec lock_spec::like(std::string_view w) const
{
    words const same{key.substr(0, key.size() - name.size()), name, channel, counter, label, w};
    lock_spec other(*protocol, same, companions);
    other.waiter_timeout = waiter_timeout;
    other.semaphore = semaphore;
    other.meters = meters;
    return other;
}

}  // namespace holdfast::engine
