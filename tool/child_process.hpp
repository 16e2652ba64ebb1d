//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CHILD_PROCESS_HPP
#define HOLDFAST_CLI_CHILD_PROCESS_HPP

#include <optional>
#include <signal.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

struct child_options {
    std::vector<std::string> command;
    std::vector<std::string> environment;  // NAME=value, besides ours
    sigset_t signal_mask;
    bool dies_with_us;  // Linux
};

// The command. It shares our terminal and process group if there is a terminal; without one it leads a group of its
// own, so that what it starts can be signalled with it.
class child_process {
public:
    // Throws std::system_error when the command cannot be executed.
    explicit child_process(child_options const&);

    // To the command, or to its group.
    void send(int signal) const noexcept;

    // Takes note of its end. True once it has ended.
    bool poll() noexcept;

    // Of the command, 128 + N if a signal ended it; once `poll()` is true.
    int exit_status() const noexcept;

    // Whether its group, if it has one, has members yet.
    bool has_survivors() const noexcept;

private:
    bool leads_group_;
    pid_t pid_;
    std::optional<int> end_;
};

}  // namespace holdfast::cli

#endif
