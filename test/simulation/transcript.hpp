//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_TRANSCRIPT_HPP
#define HOLDFAST_TEST_SIMULATION_TRANSCRIPT_HPP

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/simulated_server.hpp"

namespace holdfast::test {

// What clients do and which commands servers execute meanwhile, as text for people: a token reads "A:1" in place of a
// UUID and a number, a script is its name, and a time or a fencing token is T1, T2 ... in the order in which they appear.
// The calls of a script follow its line. What opens a connection is left out.
class transcript {
public:
    // `with_calls`: shows also what each script does.
    explicit transcript(bool with_calls = true) : with_calls_(with_calls) {}

    // Writes down what this server executes. Its name precedes the commands if it is not empty.
    void listen(simulated_server&, std::string name = {});

    // Begins a story: a heading, and what is written from here on.
    void begin(std::string_view title, std::string_view what);
    void end();
    // "A: acquire()".
    void say(std::string_view line);

    std::string const& text() const noexcept { return text_; }

private:
    void write(executed const&, std::string const& server);
    std::string readable(std::string_view client, std::string_view word);
    std::string readable(std::string_view client, simulated::words);
    std::string name_of_token(std::string_view client, std::string_view uuid);

    bool const with_calls_;
    bool is_on_ = false;
    std::string text_;
    std::vector<std::string> calls_;                           // of the script that is being executed
    std::map<std::string, std::string, std::less<>> clients_;  // by UUID
    std::map<std::string, std::string, std::less<>> times_;
};

}  // namespace holdfast::test

#endif
