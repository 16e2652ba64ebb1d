//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//

// The definitions of Boost.JSON: its headers alone need no library.
#include <boost/json/src.hpp>
