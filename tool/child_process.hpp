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
    std::vector<std::string> command;      // the program and its arguments
    std::vector<std::string> environment;  // NAME=value, in addition to the environment of the tool
    sigset_t signal_mask;
    bool dies_with_us;  // it is killed when the tool dies; Linux only
};

// The process of the command. With a terminal it shares the terminal and the process group of the tool. Without one it
// leads a group of its own, so that a signal also reaches the processes that it starts.
//
// It must not be destroyed before the process has ended: its end would not be collected.
class child_process {
public:
    // Starts the command. Throws std::system_error if it cannot be executed.
    explicit child_process(child_options const&);

    // Sends a signal to the group of the command if it leads one, otherwise to the command, unless it has ended.
    void send(int signal) const noexcept;

    // Returns whether the command has ended. Does not block.
    bool poll() noexcept;

    // The exit status of the command; 128 + N if signal N ended it. Precondition: poll() has returned true.
    int exit_status() const noexcept;

    // Whether the command leads a group and that group still has members.
    bool has_survivors() const noexcept;

private:
    bool leads_group_;
    pid_t pid_;
    std::optional<int> end_;  // the status of waitpid(); none: it runs
};

}  // namespace holdfast::cli

#endif
