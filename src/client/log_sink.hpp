//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOG_SINK_HPP
#define HOLDFAST_LOG_SINK_HPP

#include <holdfast/config.hpp>

#include "engine/port/log.hpp"

namespace holdfast::detail {

// Logs to config.log, else to spdlog's logger "holdfast", else warnings and errors to standard error. Each line begins
// with the client's name.
engine::log make_log(config const&);

}  // namespace holdfast::detail

#endif
