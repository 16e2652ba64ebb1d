//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_CHILD_HPP
#define HOLDFAST_BENCH_SUPPORT_CHILD_HPP

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::bench {

// Another process, with which this one exchanges lines over the standard input and output of the child. The destructor
// kills it, and it is killed when this process ends. All functions throw std::runtime_error when it has ended.
class child {
public:
    explicit child(std::vector<std::string> const& words);
    ~child();
    child(child const&) = delete;
    child& operator=(child const&) = delete;

    void write_line(std::string const& line);

    // Returns the next line. Throws if none arrives in that time.
    std::string read_line(std::chrono::seconds time_limit);

    // The processor time that it has used: user and system, all threads.
    std::chrono::duration<double> cpu_time() const;

private:
    int input_ = -1;
    int output_ = -1;
    pid_t pid_ = -1;
    std::string unread_;
};

}  // namespace holdfast::bench

#endif
