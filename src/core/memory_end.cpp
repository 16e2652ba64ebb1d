//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "core/memory_end.hpp"

#include <exception>
#include <string_view>
#include <unistd.h>

namespace holdfast::core {

// By write(), because streams may allocate.
void end_without_memory() noexcept
{
    constexpr std::string_view line = "holdfast: out of memory: the process ends\n";
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
    std::terminate();
}

}  // namespace holdfast::core
