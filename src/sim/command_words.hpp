//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_COMMAND_WORDS_HPP
#define HOLDFAST_TESTING_COMMAND_WORDS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/command_table.hpp"

namespace holdfast::simulated {

// Parsing of arguments, as strict as Redis, and its words for what is wrong.
std::optional<std::int64_t> to_integer(std::string_view);
std::optional<double> to_score(std::string_view);
std::string from_score(double);
bool same_word(std::string_view a, std::string_view upper);

value wrong_type();
value syntax_error();
value not_an_integer();
value not_a_float();
value wrong_arity(std::string_view full_name);
value invalid_expiry(std::string_view command);

// The value of a key if it has that type. `wrong`: it has another.
template <class Type>
struct typed {
    keyspace::entry* entry = nullptr;
    Type* data = nullptr;
    bool wrong = false;
};

template <class Type>
typed<Type> find_typed(keyspace& keys, std::string_view key)
{
    auto* const e = keys.find(key);
    if (!e)
        return {};
    auto* const data = std::get_if<Type>(&e->data);
    return {e, data, data == nullptr};
}

// The same, and an empty value of that type under a key that is free.
template <class Type>
typed<Type> make_typed(keyspace& keys, std::string_view key)
{
    if (auto const found = find_typed<Type>(keys, key); found.entry)
        return found;
    auto& e = keys.put(key, Type{});
    return {&e, &std::get<Type>(e.data), false};
}

// Redis turns a Python-like range [first, last] of `size` elements into offsets; empty if first > last.
struct range {
    std::int64_t first;
    std::int64_t last;
    bool empty() const noexcept { return first > last; }
};
range clip(std::int64_t first, std::int64_t last, std::size_t size);

}  // namespace holdfast::simulated

#endif
