//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CONFORMANCE_SCRIPT_WORDS_HPP
#define HOLDFAST_TEST_CONFORMANCE_SCRIPT_WORDS_HPP

#include <cstdint>
#include <string>

#include "sim/value.hpp"

namespace holdfast::test {

// Arguments of the scripts: times in ms, and holders of Holdfast.
inline constexpr auto permit_lease = "200000";
inline constexpr auto life = "86400000";  // of a key that no lease time ends

inline std::string ours(std::uint64_t n)
{
    return "6f1c1d0e-0000-8000-8000-000000000001:" + std::to_string(n);
}

// What the scripts reply to a key of another type.
inline bool is_wrong_type(simulated::value const& reply)
{
    return reply.is_error() && reply.text.starts_with("WRONGTYPE");
}

// The same for a reply as text, which may be a list with such an error.
inline bool has_wrong_type(std::string const& reply)
{
    return reply.find("WRONGTYPE") != reply.npos;
}

}  // namespace holdfast::test

#endif
