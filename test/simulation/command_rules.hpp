//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_COMMAND_RULES_HPP
#define HOLDFAST_TEST_SIMULATION_COMMAND_RULES_HPP

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/simulated_server.hpp"

namespace holdfast::test {

// Throws if the server executes a command that a client must never send.
class command_rules {
public:
    void operator()(executed const&);

private:
    void on_script(executed const&, simulated::words args);
    void require_alive(executed const&, std::string_view token, char const* what) const;
    void on_renewal(executed const& e, std::string_view token) { require_alive(e, token, "renewal"); }
    void on_acquire(executed const&, std::string_view token);
    void on_acquire(executed const&, std::string_view token, bool granted);

    std::set<std::pair<std::string, std::string>> retired_;  // with the connection that sent the release
    std::set<std::string, std::less<>> granted_;
};

}  // namespace holdfast::test

#endif
