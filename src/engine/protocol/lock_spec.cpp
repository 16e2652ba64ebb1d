//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/protocol/lock_spec.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace holdfast::engine {
namespace {

// Copies a word to the free part of the buffer, and advances to what is still free.
std::string_view place(std::string_view word, char*& room) noexcept
{
    auto* const from = std::exchange(room, std::ranges::copy(word, room).out);
    return {from, word.size()};
}

std::size_t size_of(lock_spec::words const& w) noexcept
{
    return w.prefix.size() + w.name.size() + w.channel.size() + w.counter.size() + w.label.size();
}

}  // namespace

lock_spec::lock_spec(lock_protocol const& f, words const& w, std::vector<std::string> more)
    : text_(std::make_unique_for_overwrite<char[]>(size_of(w))), protocol(&f), companions(std::move(more))
{
    auto* room = text_.get();
    // Prefix and name first, and without a gap: together they are the key.
    place(w.prefix, room);
    name = place(w.name, room);
    key = {text_.get(), w.prefix.size() + w.name.size()};
    key_hash = std::hash<std::string_view>()(key);
    channel = place(w.channel, room);
    counter = place(w.counter, room);
    label = place(w.label, room);
}

}  // namespace holdfast::engine
