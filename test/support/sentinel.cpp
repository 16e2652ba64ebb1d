//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/sentinel.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/child_program.hpp"
#include "support/redis_program.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

sentinel::sentinel(redis_server const& master, sentinel_options o)
    : folder_(make_folder()),
      port_(o.own_port != 0 ? o.own_port : free_port()),
      announced_port_(o.port != 0 ? o.port : port_),
      own_password_(o.own_password)
{
    {
        std::ofstream file(folder_ / "sentinel.conf");
        file << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket() << "\ndir " << folder_.string()
             << "\nsentinel monitor mymaster 127.0.0.1 " << (o.master_port != 0 ? o.master_port : master.port()) << ' '
             << o.quorum
             << "\nsentinel down-after-milliseconds mymaster 1000\nsentinel failover-timeout mymaster 5000\n";
        if (!o.password.empty())
            file << "sentinel auth-pass mymaster " << o.password << '\n';
        if (!own_password_.empty())
            file << "requirepass " << own_password_ << '\n';
        for (auto const& line : o.lines)
            file << line << '\n';
    }
    pid_ = spawn({redis_program(), folder_ / "sentinel.conf", "--sentinel"}, folder_ / "sentinel.log");
    auto const limit = std::chrono::steady_clock::now() + 30s;
    while (!answers()) {
        if (std::chrono::steady_clock::now() > limit)
            throw std::runtime_error("sentinel: does not answer");
        std::this_thread::sleep_for(5ms);
    }
}

sentinel::~sentinel()
{
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string sentinel::host() const
{
    return "127.0.0.1:" + std::to_string(announced_port_);
}

simulated::value sentinel::command(std::vector<std::string> const& words) const
{
    if (!client_) {
        client_ = std::make_unique<resp_client>(socket());
        if (!own_password_.empty())
            client_->command({"AUTH", own_password_});
    }
    return client_->command(words);
}

void sentinel::announce(std::uint16_t port) const
{
    command({"SENTINEL", "REMOVE", "mymaster"});
    command({"SENTINEL", "MONITOR", "mymaster", "127.0.0.1", std::to_string(port), "1"});
}

std::uint16_t sentinel::announced() const
{
    auto const reply = command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"});
    return reply.items.size() == 2 ? static_cast<std::uint16_t>(std::stoul(reply.items[1].text)) : std::uint16_t(0);
}

bool sentinel::knows(unsigned sentinels, std::size_t replicas) const
{
    auto const quorum = command({"SENTINEL", "CKQUORUM", "mymaster"}).text;
    return quorum.starts_with("OK " + std::to_string(sentinels) + " usable")
           && command({"SENTINEL", "REPLICAS", "mymaster"}).items.size() == replicas;
}

std::int64_t sentinel::connections() const
{
    auto const text = command({"INFO", "stats"}).text;
    std::string const field = "total_connections_received:";
    return std::stoll(text.substr(text.find(field) + field.size()));
}

void sentinel::kill()
{
    client_.reset();
    end_program(std::exchange(pid_, -1));
}

void sentinel::freeze() const
{
    ::kill(pid_, SIGSTOP);
}

bool sentinel::answers() const
{
    try {
        return announced() != 0;
    } catch (std::runtime_error const&) {
        return false;
    }
}

std::string sentinel_url(std::vector<std::string> const& hosts, std::string const& scheme)
{
    auto url = scheme + "://";
    for (auto const& h : hosts)
        url += (&h == &hosts.front() ? "" : ",") + h;
    return url + "/mymaster";
}

}  // namespace holdfast::test
