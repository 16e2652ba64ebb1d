//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/pipeline.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <sys/resource.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "scripts_generated.hpp"

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

tcp::socket connect(asio::io_context& context, std::string const& address)
{
    auto const colon = address.find(':');
    tcp::socket s(context);
    asio::connect(s, tcp::resolver(context).resolve(address.substr(0, colon), address.substr(colon + 1)));
    s.set_option(tcp::no_delay(true));
    return s;
}

// Each reply is one line.
void exchange(tcp::socket& s, std::string const& commands, std::size_t replies)
{
    std::array<char, 65536> buffer;
    asio::write(s, asio::buffer(commands));
    while (replies > 0) {
        auto const size = s.read_some(asio::buffer(buffer));
        auto const lines = std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size), '\n');
        replies -= std::min(replies, static_cast<std::size_t>(lines));
    }
}

double own_cpu_time()
{
    rusage used;
    ::getrusage(RUSAGE_SELF, &used);
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

pipeline::pipeline(redis_server& server, std::size_t pairs_at_once) : server_(server), pairs_(pairs_at_once)
{
    auto const release = server.load(engine::scripts::mutex_release.text);
    for (std::size_t i = 0; i < pairs_; ++i) {
        auto const key = "bench:pipeline:" + std::to_string(i);
        auto const token = "6f1c3a54-9d1b-8c3e-a1f2-0123456789ab:" + std::to_string(i);
        acquires_ += to_resp({"SET", key, token, "NX", "PX", "30000"});
        releases_ += to_resp({"EVALSHA", release, "1", key, token, "redisson_lock__channel:{" + key + "}"});
    }
}

standing pipeline::measure(contest const& c)
{
    standing s{.entry = {.name = "the server alone, pipelined"}};
    take_turn(c.warm_up);
    for (int r = 0; r < c.repetitions; ++r)
        s.scores.push_back(take_turn(c.turn));
    return s;
}

score pipeline::take_turn(std::chrono::milliseconds length)
{
    asio::io_context context;
    auto socket = connect(context, server_.address());
    score s;
    auto const used_by_client = own_cpu_time();
    auto const used = server_.cpu_time();
    auto const counted = server_.counters();
    auto const start = clock::now();
    for (auto requested = start; requested < start + length; requested = clock::now()) {
        exchange(socket, acquires_, pairs_);
        s.waits.push_back(std::chrono::duration<double, std::micro>(clock::now() - requested).count());
        exchange(socket, releases_, pairs_);
        s.pairs += static_cast<double>(pairs_);
    }
    s.seconds = std::chrono::duration<double>(clock::now() - start).count();
    auto const then = server_.counters();
    s.server_cpu = (server_.cpu_time() - used).count();
    s.client_cpu = own_cpu_time() - used_by_client;
    s.commands = then.commands - counted.commands;
    s.bytes = then.bytes - counted.bytes;
    return s;
}

}  // namespace holdfast::bench
