//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// The one translation unit that compiles the non-template part of Boost.Redis. It has a target of its own because it
// is expensive, never changes, and is not ours to warn about.
#include <boost/redis/src.hpp>
