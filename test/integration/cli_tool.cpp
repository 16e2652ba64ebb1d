//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "cli_tool.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "support/child_program.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 30s;

// Starts a program on a terminal of its own and returns the terminal's master, from which the program's output is read.
pid_t spawn_on_terminal(std::vector<std::string> words, int& master)
{
    std::vector<char*> pointers;
    for (auto& w : words)
        pointers.push_back(w.data());
    pointers.push_back(nullptr);
    auto const pid = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (pid == 0) {
        ::execvp(pointers.front(), pointers.data());
        ::_exit(127);
    }
    if (pid < 0)
        throw std::system_error(errno, std::system_category(), "forkpty");
    ::fcntl(master, F_SETFL, O_NONBLOCK);
    return pid;
}

}  // namespace

tool::tool(std::string const& url, std::vector<std::string> arguments, terminal t) : folder_(make_folder())
{
    std::vector<std::string> words{"env", "HOLDFAST_URL=" + url, HOLDFAST_TOOL};
    if (t == terminal::none)
        words.insert(words.begin(), "setsid");
    words.insert(words.end(), arguments.begin(), arguments.end());
    pid_ = t == terminal::none ? spawn(words, folder_ / "output") : spawn_on_terminal(words, master_);
}

tool::~tool()
{
    end_program(pid_);
    if (master_ >= 0)
        ::close(master_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void tool::send(int signal) const
{
    ::kill(pid_, signal);
}

void tool::type(std::string const& keys) const
{
    [[maybe_unused]] auto const written = ::write(master_, keys.data(), keys.size());
}

int tool::wait()
{
    auto const ended = [&] {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_)
            return false;
        pid_ = -1;
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        return true;
    };
    if (pid_ > 0)
        eventually(ended);
    return status_;
}

std::string tool::output()
{
    if (master_ < 0) {
        std::ifstream file(folder_ / "output");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    char buffer[4096];
    for (auto n = ::read(master_, buffer, sizeof buffer); n > 0; n = ::read(master_, buffer, sizeof buffer))
        typed_.append(buffer, static_cast<std::size_t>(n));
    return typed_;
}

bool tool::prints(std::string const& text)
{
    return eventually([&] { return output().find(text) != std::string::npos; });
}

int run_tool(std::string const& url, std::vector<std::string> arguments, std::string* output)
{
    tool t(url, std::move(arguments));
    int const status = t.wait();
    if (output != nullptr)
        *output = t.output();
    return status;
}

int run_tool(redis_server const& server, std::vector<std::string> arguments, std::string* output)
{
    return run_tool(server.url(), std::move(arguments), output);
}

std::vector<std::string> run_sh(std::string script, std::vector<std::string> const& options)
{
    std::vector<std::string> words{"run", "job"};
    words.insert(words.end(), options.begin(), options.end());
    for (auto* w : {"--", "sh", "-c"})
        words.emplace_back(w);
    words.push_back(std::move(script));
    return words;
}

bool eventually(std::function<bool()> const& holds)
{
    auto const limit = std::chrono::steady_clock::now() + longest_wait;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > limit)
            return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

bool has_key(redis_server& server, std::string const& key)
{
    return server.command({"EXISTS", key}).integer == 1;
}

std::size_t count_of(std::string const& text, std::string const& part)
{
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

std::size_t count_warnings(std::string const& output)
{
    return count_of(output, "warn  ") - count_of(output, "warn  latency ");
}

}  // namespace holdfast::test
