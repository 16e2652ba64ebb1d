//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <holdfast/detail/abi.hpp>

namespace holdfast {

template <class Values>
void abi::library_was_built_with() noexcept
{}

// For the values of the library alone: for others the linker must not find it.
template void abi::library_was_built_with<abi::own_values>() noexcept;

}  // namespace holdfast
