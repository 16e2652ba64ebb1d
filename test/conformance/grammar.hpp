//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CONFORMANCE_GRAMMAR_HPP
#define HOLDFAST_TEST_CONFORMANCE_GRAMMAR_HPP

#include <string>
#include <string_view>
#include <vector>

#include "support/chance.hpp"

namespace holdfast::test {

using command_text = std::vector<std::string>;

// Random commands over a few keys, so that types conflict and values are often equal: mostly well formed, some not.
class grammar {
public:
    explicit grammar(std::uint64_t seed) : chance_(seed) {}

    command_text any_command();

    // A call of the script with that text: KEYS and ARGV mostly follow the comment at its top.
    command_text call_of(std::string_view script);

    test::chance& chance() noexcept { return chance_; }

private:
    std::string word(std::string_view pattern);
    std::string argument(std::string_view description);
    void add_list(command_text&, std::string_view description, std::size_t groups);
    std::string any_of(std::initializer_list<std::string_view>);

    test::chance chance_;
};

}  // namespace holdfast::test

#endif
