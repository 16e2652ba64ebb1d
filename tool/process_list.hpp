//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_PROCESS_LIST_HPP
#define HOLDFAST_CLI_PROCESS_LIST_HPP

namespace holdfast::cli {

// Overwrites the credentials of URLs among the arguments of the tool, which all users of the host see in the process list.
// Called when they were read; until then they can be seen.
void hide_passwords(int argc, char** argv) noexcept;

}  // namespace holdfast::cli

#endif
