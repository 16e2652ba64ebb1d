//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "handle/named_error.hpp"

namespace holdfast::detail {

std::string in_quotes(std::string_view name)
{
    constexpr std::size_t enough = 64;  // a name may have 512 bytes, and a composite's name is the names of all members
    return "lock \"" + std::string(name.substr(0, enough)) + (name.size() > enough ? "...\"" : "\"");
}

described_error named(described_error const& e, std::string_view lock)
{
    if (!e)
        return e;
    auto const name = in_quotes(lock);
    return {e.code, make_error_text(e.text ? name + ": " + *e.text : name)};
}

}  // namespace holdfast::detail
