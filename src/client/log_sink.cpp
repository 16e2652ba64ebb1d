//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/log_sink.hpp"

#include <memory>
#include <string>

#include <spdlog/sinks/stdout_color_sinks.h>
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

// Not spdlog's default logger, which writes to standard output: there a program may write its results.
std::shared_ptr<spdlog::logger> make_default_logger()
{
    auto const made = std::make_shared<spdlog::logger>(
        "holdfast", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_level(spdlog::level::warn);
    return made;
}

// Finds the program's logger for each line: a program may register or drop it at any time.
engine::log::sink to_logger()
{
    return [otherwise = make_default_logger()](log_level level, std::string_view line) {
        auto const named = spdlog::get("holdfast");
        (named ? named : otherwise)->log(to_spdlog(level), line);
    };
}

}  // namespace

// All log lines of a client pass this function. It escapes control bytes: names, labels and error messages of the
// server may contain any byte, and a line break among them would begin a line that seems to come from this library.
engine::log make_log(config const& c)
{
    auto const prefix = (c.name.empty() ? std::string("holdfast") : c.name) + ": ";
    return engine::log([prefix, to = c.log ? c.log : to_logger()](log_level level, std::string_view line) {
        to(level, core::printable(prefix + std::string(line)));
    });
}

}  // namespace holdfast::detail
