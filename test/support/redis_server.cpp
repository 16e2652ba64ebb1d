//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/redis_server.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include "support/child_program.hpp"
#include "support/redis_program.hpp"

namespace holdfast::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

redis_server::redis_server(std::vector<std::string> lines)
    : folder_(make_folder()), port_(free_port()), lines_(std::move(lines))
{
    // Between free_port() and the start another process may take the port. The second port of a cluster's node may be
    // taken.
    constexpr int attempts = 20;
    for (int attempt = 1;; ++attempt) {
        write_config();
        try {
            start();
            return;
        } catch (std::runtime_error const&) {
            if (attempt == attempts || !is_installed())
                throw;
            port_ = free_port();
        }
    }
}

redis_server::~redis_server()
{
    kill();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

bool redis_server::is_installed()
{
    return std::system(("'" + redis_program() + "' --version > /dev/null 2>&1").c_str()) == 0;
}

std::string redis_server::url() const
{
    return "unix://" + socket_path();
}

std::string redis_server::tcp_url() const
{
    return "redis://127.0.0.1:" + std::to_string(port_);
}

void redis_server::write_config()
{
    std::ofstream file(folder_ / "redis.conf");
    file << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket_path() << "\ndir " << folder_.string()
         << "\nsave \"\"\nappendonly no\ndaemonize no\n";
    for (auto const& line : lines_)
        file << line << '\n';
}

void redis_server::start()
{
    pid_ = spawn({redis_program(), folder_ / "redis.conf"}, folder_ / "redis.log");
    auto const limit = std::chrono::steady_clock::now() + 30s;
    while (!answers()) {
        if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
            pid_ = -1;
            throw std::runtime_error("redis_server: ended at once: " + last_words());
        }
        if (std::chrono::steady_clock::now() > limit)
            throw std::runtime_error("redis_server: does not answer");
        std::this_thread::sleep_for(5ms);
    }
}

std::string redis_server::last_words() const
{
    std::ifstream log(folder_ / "redis.log");
    std::string last;
    for (std::string line; std::getline(log, line);)
        if (!line.empty())
            last = line;
    return last;
}

// An error counts as an answer: a server that requires a password answers PING with NOAUTH.
bool redis_server::answers()
{
    try {
        client_ = std::make_unique<resp_client>(socket_path());
        auto const reply = client_->command({"PING"});
        return !reply.text.starts_with("LOADING");
    } catch (std::runtime_error const&) {
        client_.reset();
        return false;
    }
}

simulated::value redis_server::command(std::vector<std::string> const& words)
{
    if (!client_)
        client_ = std::make_unique<resp_client>(socket_path());
    return client_->command(words);
}

std::string redis_server::info(std::string const& field)
{
    auto const text = command({"INFO", "everything"}).text;
    auto const key = "\n" + field + ":";
    auto const at = text.find(key);
    if (at == text.npos)
        return {};
    auto const value = text.substr(at + key.size());
    return value.substr(0, value.find('\r'));
}

int redis_server::online_replicas()
{
    int n = 0;
    while (info("slave" + std::to_string(n)).find("state=online") != std::string::npos)
        ++n;
    return n;
}

std::int64_t redis_server::calls(std::string const& name)
{
    auto const stats = info("cmdstat_" + name);  // calls=3,usec=...
    return stats.empty() ? 0 : std::stoll(stats.substr(stats.find('=') + 1));
}

void redis_server::freeze()
{
    signal_program(pid_, SIGSTOP);
}

void redis_server::thaw()
{
    signal_program(pid_, SIGCONT);
}

void redis_server::kill()
{
    client_.reset();
    end_program(std::exchange(pid_, -1));
}

void redis_server::restart()
{
    kill();
    start();
}

}  // namespace holdfast::test
