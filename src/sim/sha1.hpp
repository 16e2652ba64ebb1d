//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_SHA1_HPP
#define HOLDFAST_TESTING_SHA1_HPP

#include <string>
#include <string_view>

namespace holdfast::simulated {

// The SHA1 in 40 hexadecimal digits in lower case, by which Redis names a script. Own code, because src/sim must not
// need OpenSSL. Not for security.
std::string sha1(std::string_view);

}  // namespace holdfast::simulated

#endif
