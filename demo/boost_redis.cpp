//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// A program that uses Boost.Redis itself must compile its sources in one translation unit.
#include <boost/redis/src.hpp>
