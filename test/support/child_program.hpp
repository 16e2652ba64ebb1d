//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CHILD_PROGRAM_HPP
#define HOLDFAST_TEST_SUPPORT_CHILD_PROGRAM_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

// A port of 127.0.0.1 on which no process listens right now.
std::uint16_t free_port();
// The same, where the port plus 10000 is free, too: there a node of a cluster listens for other nodes.
std::uint16_t free_port_with_bus();

// A new temporary folder; the caller removes it.
std::filesystem::path make_folder();

// Runs a program of the PATH that is killed when this process ends; its output goes to a file.
pid_t spawn(std::vector<std::string> const& words, std::filesystem::path const& output);

// Kills such a program and waits for its end.
void end_program(pid_t);

// Sends a signal to a program. Does nothing if the number is that of no program any more: kill(-1) would reach every
// process of the user.
void signal_program(pid_t, int number);

}  // namespace holdfast::test

#endif
