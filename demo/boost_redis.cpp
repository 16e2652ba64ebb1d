//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// Boost.Redis wants its sources compiled once per program that uses it by itself.
#include <boost/redis/src.hpp>
