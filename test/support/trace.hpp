//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_TRACE_HPP
#define HOLDFAST_TEST_SUPPORT_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "sim/value.hpp"

namespace holdfast::test {

// The events of a simulation, line by line, with virtual time. Off by default: a seed that fails is run again with it,
// and gives the same events.
class trace {
public:
    explicit trace(bool on, std::size_t capacity = 100'000) : on_(on), capacity_(capacity) {}

    bool is_on() const noexcept { return on_; }

    // `source`: "A" for a process, "A#3" for its third connection, "redis" for a server.
    void add(core::instant, std::string_view source, std::string_view what);

    // The last lines, oldest first.
    std::string text(std::size_t most = SIZE_MAX) const;

    // A digest of all lines, including those no longer kept: equal for equal runs.
    std::uint64_t digest() const noexcept { return digest_; }

private:
    bool on_;
    std::size_t capacity_;
    std::deque<std::string> lines_;
    std::uint64_t digest_ = 14695981039346656037u;
};

// A command as one line: a script is shown by the first word of its text, and long words are cut.
std::string to_line(simulated::words);

}  // namespace holdfast::test

#endif
