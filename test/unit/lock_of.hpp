//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_UNIT_LOCK_OF_HPP
#define HOLDFAST_TEST_UNIT_LOCK_OF_HPP

#include <string>
#include <string_view>
#include <vector>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

// A mutex with that name, without prefix, channel and label.
inline lock_spec lock_of(std::string_view name)
{
    lock_spec::words const words{.prefix = {}, .name = name, .channel = {}, .counter = {}, .label = {}};
    return {mutex_protocol(false), words, std::vector<std::string>()};
}

}  // namespace holdfast::engine

#endif
