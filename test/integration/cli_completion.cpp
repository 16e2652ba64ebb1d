//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The completion of the tool in bash: packaging/completion/holdfast.bash.

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace holdfast::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

// The words that bash offers for the last one of `holdfast WORDS`, separated by spaces.
std::string completions(std::string const& words)
{
    std::string const command = "bash --norc <<'END'\n"
                                "source '" HOLDFAST_COMPLETION "'\n"
                                "COMP_WORDS=('" HOLDFAST_TOOL "' "
                                + words
                                + ")\n"
                                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                                  "_holdfast\n"
                                  "printf %s \"${COMPREPLY[*]}\"\n"
                                  "END\n";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const bash(::popen(command.c_str(), "r"), ::pclose);
    if (!bash)
        throw std::runtime_error("no bash");
    std::string all;
    std::array<char, 4096> chunk;
    while (auto const n = std::fread(chunk.data(), 1, chunk.size(), bash.get()))
        all.append(chunk.data(), n);
    return all;
}

TEST_CASE("cli completion: the words are those of the tool's help", "[cli]")
{
    CHECK(completions("''") == "run status release permits elect leader list doctor dashboard --help --version");
    CHECK(completions("st") == "status");
    CHECK_THAT(completions("run x --"), ContainsSubstring("--wait"));
    CHECK_THAT(completions("run x --"), ContainsSubstring("--no-fencing"));
    CHECK(completions("run x --k") == "--kind --kill-after");
    CHECK(completions("run x --fair --nu") == "--numbered");
    CHECK(completions("list --wa") == "--watch");
    CHECK(completions("permits x --re") == "--revoke");
    CHECK(completions("permits x --revoke ''").empty());
}

TEST_CASE("cli completion: an option with a value is followed by its choices, or by nothing", "[cli]")
{
    CHECK(completions("run x --kind ''") == "mutex reentrant fair read write");
    CHECK(completions("run x --on-loss k") == "kill");
    CHECK(completions("run x --wait ''").empty());
    std::string const file = HOLDFAST_COMPLETION;
    CHECK(completions("dashboard --token-file '" + file.substr(0, file.size() - 2) + "'") == file);
}

TEST_CASE("cli completion: the words after -- are those of a command", "[cli]")
{
    CHECK_THAT(completions("run x -- bas"), ContainsSubstring("bash"));
    CHECK_THAT(completions("run x -- cat /et"), StartsWith("/etc"));
    CHECK(completions("run x -- cat --wai").empty());
}

}  // namespace
}  // namespace holdfast::test
