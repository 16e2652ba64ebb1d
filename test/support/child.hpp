//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CHILD_HPP
#define HOLDFAST_TEST_SUPPORT_CHILD_HPP

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <utility>
#include <vector>

#include "support/child_program.hpp"

namespace holdfast::test {

// Another process of the test, which reports by lines on its standard output; it is killed at the end.
class child {
public:
    explicit child(std::vector<std::string> words) : folder_(make_folder()), pid_(spawn(words, output())) {}
    ~child()
    {
        end_program(pid_);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    child(child const&) = delete;
    child& operator=(child const&) = delete;

    // Stops the process and waits until it is stopped, so that none of its threads runs any more.
    void pause()
    {
        signal(SIGSTOP);
        int status = 0;
        while (pid_ > 0 && ::waitpid(pid_, &status, WUNTRACED) == -1 && errno == EINTR)
            ;
    }
    void resume() { signal(SIGCONT); }
    void signal(int number) { signal_program(pid_, number); }

    // All lines so far, without an unfinished last one.
    std::vector<std::string> lines() const
    {
        std::vector<std::string> all;
        std::ifstream file(output());
        for (std::string line; std::getline(file, line) && !file.eof();)
            all.push_back(line);
        return all;
    }

    // The rest of the first line that begins with `begin`; empty if there is none yet.
    std::string reported(std::string const& begin) const
    {
        for (auto const& line : lines())
            if (line.starts_with(begin))
                return line.substr(begin.size()) + " ";
        return {};
    }

    bool is_over()
    {
        if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_)
            pid_ = -1;
        return pid_ <= 0;
    }
    // Whether it ended by itself, with status 0. Precondition: is_over().
    bool has_succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

private:
    std::filesystem::path output() const { return folder_ / "output"; }

    std::filesystem::path folder_;
    pid_t pid_;
    int status_ = 0;
};

// Waits, without an event loop, until the condition holds; returns false if it does not within the limit.
template <class Predicate>
bool wait_until(Predicate holds, std::chrono::milliseconds limit = std::chrono::seconds(60))
{
    auto const end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

}  // namespace holdfast::test

#endif
