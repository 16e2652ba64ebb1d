//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_PROGRESS_HPP
#define HOLDFAST_DEMO_PROGRESS_HPP

#include <chrono>
#include <string>

namespace demo {

// Prints the progress of a sale: on a terminal one line that changes, otherwise a new line from time to time.
class progress {
public:
    progress();

    void show(std::string const& title, int sold, int served);
    void print(std::string const& line);
    void finish(std::string const& title, int sold, int served);

private:
    void print(std::string const& title, int sold, int served, char const* end);

    bool const is_terminal_;
    std::chrono::steady_clock::time_point const start_;
    std::chrono::steady_clock::time_point shown_;
};

}  // namespace demo

#endif
