//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_ARGUMENTS_HPP
#define HOLDFAST_CLI_ARGUMENTS_HPP

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::cli {

enum class lock_kind { mutex, reentrant, fair, read, write };

// What happens to the command when the lease is lost.
enum class loss_action { term, kill, ignore };

struct run_arguments {
    std::string name;
    std::vector<std::string> command;
    std::optional<std::chrono::milliseconds> wait;  // none: as long as it takes
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds kill_after{10'000};
    lock_kind kind = lock_kind::mutex;
    loss_action on_loss = loss_action::term;
    bool fencing = true;
};

struct status_arguments {
    std::string name;
};

struct release_arguments {
    std::string name;
};

struct list_arguments {
    std::string pattern = "*";
};

struct doctor_arguments {
    std::string name = "holdfast:doctor";  // of a lock to try
};

struct arguments {
    std::vector<std::string> urls;  // one, but several of run_arguments, for a red_lock
    std::variant<run_arguments, status_arguments, release_arguments, list_arguments, doctor_arguments> command;
};

// What to do, or the exit status when that is already known: help was asked for and printed, or the usage is wrong and
// was complained about.
std::variant<arguments, int> parse_arguments(int argc, char const* const* argv);

}  // namespace holdfast::cli

#endif
