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

// In ascending order, so that the worst of several is the greatest. `doubtful`: locks work, but a fault may lose one.
enum class grade { good, doubtful, bad };

// One property of a server that matters for locks.
struct finding {
    cli::grade grade;
    std::string topic;
    std::string words;
};

// The findings from the text of INFO: version, mode, memory, persistence, replicas. A pure function.
std::vector<finding> diagnose(std::string_view info);

}  // namespace holdfast::cli

#endif
