//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/log_sink.hpp"

#include <string>

#include <spdlog/spdlog.h>

#include "core/printable.hpp"

namespace holdfast::detail {
namespace {

spdlog::level::level_enum to_spdlog(log_level l) noexcept
{
    switch (l) {
        case log_level::debug: return spdlog::level::debug;
        case log_level::info: return spdlog::level::info;
        case log_level::warning: return spdlog::level::warn;
        default: return spdlog::level::err;
    }
}

// Finds the logger for each line: a program may register or drop it at any time.
void to_logger(log_level level, std::string_view line)
{
    auto const named = spdlog::get("holdfast");
    (named ? named : spdlog::default_logger())->log(to_spdlog(level), line);
}

}  // namespace

// All log lines of a client pass this function. It escapes control bytes: names, labels and error messages of the
// server may contain any byte, and a line break among them would begin a line that seems to come from this library.
engine::log make_log(config const& c)
{
    auto const prefix = (c.name.empty() ? std::string("holdfast") : c.name) + ": ";
    return engine::log([prefix, to = c.log](log_level level, std::string_view line) {
        auto const whole = core::printable(prefix + std::string(line));
        to ? to(level, whole) : to_logger(level, whole);
    });
}

}  // namespace holdfast::detail
