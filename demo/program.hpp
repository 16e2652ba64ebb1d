//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_PROGRAM_HPP
#define HOLDFAST_DEMO_PROGRAM_HPP

#include <string>
#include <sys/types.h>
#include <vector>

namespace demo {

// A child process. Its destructor ends it, and the kernel kills it when this process ends for any reason.
class program {
public:
    // Throws std::system_error if the program cannot be executed. `in`, `out`: the descriptors of its standard input
    // and output; -1: none.
    program(std::vector<std::string> words, int in, int out);
    ~program();
    program(program const&) = delete;
    program& operator=(program const&) = delete;

    void send(int signal) const noexcept;
    void kill() noexcept;  // and waits for its end

private:
    pid_t pid_;
};

}  // namespace demo

#endif
