//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_WORDS_HPP
#define HOLDFAST_ENGINE_SCRIPT_WORDS_HPP

#include <string_view>

#include <boost/container/small_vector.hpp>

namespace holdfast::engine {

// KEYS and ARGV of a batch, as views into its members.
struct script_words {
    boost::container::small_vector<std::string_view, 64> keys;
    boost::container::small_vector<std::string_view, 128> arguments;
};

}  // namespace holdfast::engine

#endif
