//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// scripts/check_consumers compiles it with macros that change the layout of types of Boost.Asio and the library. It has
// the one header that no program does without, and not <holdfast.hpp>.

#include <holdfast/client.hpp>

int main() {}
