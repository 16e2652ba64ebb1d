//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEGRATION_CLI_TOOL_HPP
#define HOLDFAST_TEST_INTEGRATION_CLI_TOOL_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/redis_server.hpp"

namespace holdfast::test {

enum class terminal { none, controlling };

// The command line tool, started with HOLDFAST_URL naming a server. Without a terminal it has a session of its own.
class tool {
public:
    tool(std::string const& url, std::vector<std::string> arguments, terminal = terminal::none);
    tool(redis_server const& server, std::vector<std::string> arguments, terminal t = terminal::none)
        : tool(server.url(), std::move(arguments), t)
    {}
    ~tool();
    tool(tool const&) = delete;
    tool& operator=(tool const&) = delete;

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    void type(std::string const& keys) const;  // on its terminal

    // Waits for its end and returns its exit status: 128 + N if signal N ended it, -1 if it does not end in time.
    int wait();

    // What it and its command have written so far, to either stream.
    std::string output();
    bool prints(std::string const& text);  // waits for it

private:
    std::filesystem::path folder_;
    int master_ = -1;
    pid_t pid_ = -1;
    int status_ = -1;
    std::string typed_;
};

// Runs the tool to its end and returns its exit status.
int run_tool(std::string const& url, std::vector<std::string> arguments, std::string* output = nullptr);
int run_tool(redis_server const&, std::vector<std::string> arguments, std::string* output = nullptr);

// The arguments of `holdfast run` for the lock "job" and a shell script.
std::vector<std::string> run_sh(std::string script, std::vector<std::string> const& options = {});

// A client that is not there, for locks that a test makes by hand, and a token of it.
inline std::string const client_uuid = "0b1c2d3e-0000-4000-8000-000000000001";
inline std::string const client_token = client_uuid + ":17";

// Waits until the condition holds; returns false if that takes too long.
bool eventually(std::function<bool()> const&);

bool has_key(redis_server&, std::string const& key);
std::size_t count_of(std::string const& text, std::string const& part);

// In the output of `holdfast doctor`, without that of the latency: it depends on what else the machine does.
std::size_t count_warnings(std::string const& output);

}  // namespace holdfast::test

#endif
