//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DIAGNOSIS_HPP
#define HOLDFAST_CLI_DIAGNOSIS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

enum class grade { good, doubtful, bad };

// One thing about a server that matters for locks.
struct finding {
    cli::grade grade;
    std::string topic;
    std::string words;
};

// What the text of INFO tells: version, mode, memory, persistence, replicas.
std::vector<finding> diagnose(std::string_view info);

}  // namespace holdfast::cli

#endif
