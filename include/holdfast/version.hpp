//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_VERSION_HPP
#define HOLDFAST_VERSION_HPP

/// The version of the headers: major * 10000 + minor * 100 + patch.
#define HOLDFAST_VERSION 100

#endif
