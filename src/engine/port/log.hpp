//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_LOG_HPP
#define HOLDFAST_ENGINE_LOG_HPP

#include <functional>
#include <string_view>

#include <holdfast/config.hpp>

namespace holdfast::engine {

// Writes the log lines of a client to its sink, which puts the client's name in front. No function throws.
class log {
public:
    using sink = std::function<void(log_level, std::string_view)>;

    log() = default;
    explicit log(sink to) : to_(std::move(to)) {}

    void debug(std::string_view line) const noexcept { write(log_level::debug, line); }
    void info(std::string_view line) const noexcept { write(log_level::info, line); }
    void warning(std::string_view line) const noexcept { write(log_level::warning, line); }
    void error(std::string_view line) const noexcept { write(log_level::error, line); }

private:
    void write(log_level level, std::string_view line) const noexcept
    {
        // The sink may be a function of the user. Its exception must not end a transition of a state machine halfway.
        try {
            if (to_)
                to_(level, line);
        } catch (...) {}
    }

    sink to_;
};

}  // namespace holdfast::engine

#endif
