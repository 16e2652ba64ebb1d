//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_PROCESS_LIST_HPP
#define HOLDFAST_CLI_PROCESS_LIST_HPP

namespace holdfast::cli {

// Overwrites what may be secret in URLs among the arguments of the tool, which all users of the host see in the process
// list: the credentials, and everything behind the question mark, where the password of the sentinels is. Called when the
// arguments were read; until then they can be seen.
void hide_passwords(int argc, char** argv) noexcept;

}  // namespace holdfast::cli

#endif
