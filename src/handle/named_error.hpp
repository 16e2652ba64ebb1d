//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_NAMED_ERROR_HPP
#define HOLDFAST_NAMED_ERROR_HPP

#include <string>
#include <string_view>

#include <holdfast/detail/described_error.hpp>

namespace holdfast::detail {

// The name of a lock as log lines and texts of errors show it, cut if it is long. (It is not called `quoted`, because
// an unqualified call with a std::string would find std::quoted.)
std::string in_quotes(std::string_view name);

// An error of an operation on that lock: its text begins with the name. Inside the library the text of an error does
// not contain the name; it is added once, where the operation completes.
described_error named(described_error const&, std::string_view lock);

}  // namespace holdfast::detail

#endif
