//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// The translation unit that compiles the non-template part of Boost.Redis. It has its own target in CMake, because it
// takes long to compile, never changes, and must not produce warnings of another library's code.
#include <boost/redis/src.hpp>
