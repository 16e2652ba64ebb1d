//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_COMMAND_WORDS_HPP
#define HOLDFAST_TESTING_COMMAND_WORDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/command_table.hpp"

namespace holdfast::simulated {

// Parses arguments as strictly as Redis does: a test with a wrong argument must fail here, too.
std::optional<std::int64_t> to_integer(std::string_view);
std::optional<double> to_score(std::string_view);
// With 17 significant digits, as Redis 7.0; later versions use fewer.
std::string from_score(double);
// Compares without regard to the case of `a`; `upper` is in upper case.
bool same_word(std::string_view a, std::string_view upper);

// The error replies of Redis, word by word: the library classifies errors by their text (engine::classify()).
value wrong_type();
value syntax_error();
value not_an_integer();
value not_a_float();
value wrong_arity(std::string_view full_name);
value invalid_expiry(std::string_view command);

// The value of a key, if it has that type. A missing key has neither an entry nor data. The pointers are valid until a
// key is added or removed.
template <class Type>
struct typed {
    keyspace::entry* entry = nullptr;
    Type* data = nullptr;
    bool wrong = false;  // the key has another type
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

// The same, but a missing key is added with an empty value. The caller must put something into it: in Redis no list,
// hash or sorted set is empty.
template <class Type>
typed<Type> make_typed(keyspace& keys, std::string_view key)
{
    if (auto const found = find_typed<Type>(keys, key); found.entry)
        return found;
    auto& e = keys.put(key, Type{});
    return {&e, &std::get<Type>(e.data), false};
}

// Offsets into `size` elements, from the indices of a command, of which negative ones count from the end.
struct range {
    std::int64_t first;
    std::int64_t last;
    bool empty() const noexcept { return first > last; }
};
range clip(std::int64_t first, std::int64_t last, std::size_t size);

// Replies to HSCAN or ZSCAN of a collection with `size` elements. `words_of` returns the two words of the element with
// that number. Redis sends a small collection at once, and of a greater one about as many elements as asked for, in the
// order of a hash table: here backwards.
value scan(call const&, std::size_t size, std::function<std::array<std::string, 2>(std::size_t)> const& words_of);

}  // namespace holdfast::simulated

#endif
