//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DERIVED_NAMES_HPP
#define HOLDFAST_DERIVED_NAMES_HPP

#include <string>
#include <string_view>

namespace holdfast::detail {

// A script that may call derived(prefix, name) and suffixed(name, suffix): the names of the keys that belong to a lock,
// as core::prefixed() and core::suffixed() make them.
inline std::string with_derived_names(std::string_view script)
{
    constexpr std::string_view functions = R"lua(
local function tagged(name)
    return string.find(name, '{', 1, true) and name or '{' .. name .. '}'
end
local function derived(prefix, name)
    return prefix .. ':' .. tagged(name)
end
local function suffixed(name, suffix)
    return tagged(name) .. ':' .. suffix
end
)lua";
    return std::string(functions).append(script);
}

}  // namespace holdfast::detail

#endif
