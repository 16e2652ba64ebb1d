//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_CHILD_PROCESS_HPP
#define HOLDFAST_CLI_CHILD_PROCESS_HPP

#include <chrono>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "tool/guardian.hpp"

namespace holdfast::cli {

struct child_options {
    std::vector<std::string> command;      // the program and its arguments
    std::vector<std::string> environment;  // NAME=value, in addition to the environment of the tool
    std::vector<std::string> removed;      // names of the environment of the tool that the command does not get
    sigset_t signal_mask;
    bool dies_with_us;  // it is killed when the tool dies, and all its descendants; Linux only
    std::optional<std::chrono::milliseconds> ends_in;  // expect_end() is called with it before the command runs
    std::chrono::milliseconds kill_after;              // between SIGTERM and SIGKILL of a job whose tool was stopped
};

// The process of the command, behind its guardian. With a terminal the command shares the terminal and the process group of
// the tool. Without one it leads a group of its own, so that a signal also reaches the processes that it starts.
class child_process {
public:
    // Starts the command. Throws std::system_error if it cannot be executed.
    child_process(boost::asio::any_io_executor const&, child_options const&);
    // Unless leave() was called, the guardian ends what is left of the job.
    ~child_process();
    child_process(child_process const&) = delete;
    child_process& operator=(child_process const&) = delete;

    // Sends a signal to the group of the command if it leads one, otherwise to the command, unless it has ended.
    void send(int signal) noexcept;

    // Kills the command and all its descendants, also those with a group or a session of their own.
    void end_job() noexcept;

    // The lease ends in this time unless it is renewed. If this process is stopped for longer, the guardian ends the job.
    void expect_end(std::chrono::milliseconds) noexcept;

    // The guardian does not watch the end of the lease any more.
    void watch_no_end() noexcept;

    // Leaves alone what the command has started and has not ended. There is nothing to do with this object any more.
    void leave() noexcept;

    // Returns whether the guardian has ended the job, or is about to, because the lease has ended. Does not block.
    bool has_expired() noexcept;

    // Returns whether the command has ended. Does not block.
    bool poll() noexcept;

    // The exit status of the command; 128 + N if signal N ended it. Precondition: poll() has returned true.
    int exit_status() const noexcept;

    // Returns whether the command or one of its descendants lives. Those that may not be killed do not count any more
    // after end_job(). Does not block.
    bool has_survivors() noexcept;

    // Wait until poll() returns true, and until has_survivors() returns false.
    boost::asio::awaitable<void> end();
    boost::asio::awaitable<void> end_of_all();

private:
    void tell(order) noexcept;
    void listen() noexcept;
    void take(notice) noexcept;
    boost::asio::awaitable<void> next_notice();

    pid_t guardian_ = -1;
    boost::asio::posix::stream_descriptor channel_;
    std::optional<int> end_;  // the status of waitpid(); none: it runs
    bool all_ended_ = false;
    bool expired_ = false;
};

}  // namespace holdfast::cli

#endif
