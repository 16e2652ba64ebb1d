//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_NOT_YET_HPP
#define HOLDFAST_TEST_ORACLE_NOT_YET_HPP

#include <string_view>
#include <vector>

#include "oracle/program.hpp"

namespace holdfast::test::oracle {

// A use of the library for which a promise is not kept yet. The generator leaves it out; the model is never weakened
// instead. `leave_out` changes the step that would do it; a step of verb `advance` without a time does nothing.
struct exclusion {
    std::string_view name;
    std::string_view why;
    void (*leave_out)(step&, program const&);
};

std::vector<exclusion> const& not_yet();

// Returns the program without the excluded uses. HOLDFAST_ORACLE_ALL=1 excludes nothing.
program without_exclusions(program);

}  // namespace holdfast::test::oracle

#endif
