//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/live_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <stdexcept>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "client/client_access.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::array<std::string_view, 10> deniable{
    "set", "pexpire", "time", "publish", "evalsha", "hset", "exists", "type", "pttl", "info"};

// Everything that is expected happens within this time, however busy the machine is.
constexpr auto event_limit = 60s;

constexpr std::size_t trace_length = 2'000;

// Stores application data unless the key exists, atomically.
constexpr std::string_view plant_script = R"(
    if redis.call('exists', KEYS[1]) == 1 then return 0 end
    if ARGV[1] == '0' then redis.call('set', KEYS[1], 'application data')
    elseif ARGV[1] == '1' then redis.call('rpush', KEYS[1], 'application data')
    else redis.call('hset', KEYS[1], 'user', '42') end
    return 1)";

// Counts the parts of a client's engine, on the client's strand.
struct counter final : engine::message {
    void deliver(engine::client_engine& c) override { result.set_value(c.count()); }
    void discard() noexcept override { result.set_value({}); }
    std::promise<engine::client_engine::census> result;
};

}  // namespace

live_world::live_world(live_servers& s, unsigned threads) : servers_(s), context_(int(threads))
{
    for (unsigned i = 0; threads > 1 && i < threads; ++i)
        threads_.emplace_back([this] { context_.run(); });
}

live_world::~live_world()
{
    context_.stop();
    for (auto& t : threads_)
        t.join();
}

// ---- processes

asio::any_io_executor live_world::executor_of(std::int64_t)
{
    if (has_threads())
        return asio::make_strand(context_);
    return context_.get_executor();
}

holdfast::client live_world::make_client(std::int64_t, unsigned server, holdfast::config c)
{
    c.url = servers_.url(server);
    return {context_, std::move(c)};
}

void live_world::run_inside(std::int64_t, asio::any_io_executor where, std::function<void()> f)
{
    {
        std::scoped_lock const guard(mutex_);
        ++steps_;
    }
    asio::post(where, [this, f = std::move(f)] {
        f();
        std::scoped_lock const guard(mutex_);
        --steps_;
        steps_ended_.notify_all();
    });
    if (!has_threads())
        await_steps();
}

void live_world::await_steps()
{
    std::unique_lock guard(mutex_);
    if (has_threads())
        return steps_ended_.wait(guard, [&] { return steps_ == 0; });
    while (steps_ > 0) {
        guard.unlock();
        context_.run_one();
        guard.lock();
    }
}

asio::awaitable<void> live_world::sleep(std::int64_t, core::duration d)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, d);
    co_await timer.async_wait(asio::use_awaitable);
}

// ---- time

core::instant live_world::now() const
{
    return core::instant(steady_clock::now().time_since_epoch());
}

void live_world::run_for(core::duration d)
{
    auto const end = now() + d;
    for (auto at = now(); at < end; at = now()) {
        end_faults();
        run_until(fault_ends_.empty() ? end : std::min(end, fault_ends_.begin()->first));
    }
}

void live_world::run_until(core::instant end)
{
    if (has_threads())
        std::this_thread::sleep_until(steady_clock::time_point(end.time_since_epoch()));
    else
        context_.run_until(steady_clock::time_point(end.time_since_epoch()));
}

void live_world::settle(std::function<bool()> const& is_nothing_left)
{
    auto const limit = now() + event_limit;
    while (!is_nothing_left() && now() < limit)
        run_for(10ms);
}

void live_world::finish()
{
    work_.reset();
    for (auto& t : threads_)
        t.join();
    if (!std::exchange(threads_, {}).empty())
        return;
    context_.run_for(event_limit);
    if (!context_.stopped())
        throw std::runtime_error("something goes on after the end of all clients");
}

// ---- faults

void live_world::inject(step const& s, core::instant end)
{
    auto const i = server_of(s);
    if (!servers_.is_started(i))
        return;
    if (s.what == verb::out_of_memory || s.what == verb::deny)
        fault_ends_.emplace(end, i);
    auto const milliseconds = std::chrono::ceil<std::chrono::milliseconds>(end - now()).count();
    switch (s.what) {
        case verb::pause:
            servers_.command(i, {"CLIENT", "PAUSE", std::to_string(std::clamp<long>(milliseconds, 1, 1'000)), "ALL"});
            return;
        case verb::out_of_memory: servers_.command(i, {"CONFIG", "SET", "maxmemory", "1"}); return;
        case verb::deny:
            servers_.command(
                i,
                {"ACL",
                 "SETUSER",
                 "default",
                 "-" + std::string(deniable[std::size_t(s.get(field::how)) % deniable.size()])});
            return;
        case verb::disconnect: return servers_.kill_connections(i);
        case verb::restart: return servers_.restart(i);
        case verb::flush_scripts: servers_.command(i, {"SCRIPT", "FLUSH", "SYNC"}); return;
        default: throw std::logic_error("live programs do not have this fault");
    }
}

void live_world::end_faults()
{
    while (!fault_ends_.empty() && fault_ends_.begin()->first <= now()) {
        servers_.heal(fault_ends_.begin()->second);
        fault_ends_.erase(fault_ends_.begin());
    }
}

void live_world::delete_key(unsigned server, std::string_view key)
{
    servers_.command(server, {"DEL", std::string(key)});
}

bool live_world::plant(lock_design const& d, std::int64_t how)
{
    auto const reply = servers_.command(
        d.server, {"EVAL", std::string(plant_script), "1", std::string(d.key), std::to_string(how % 3)});
    return reply.integer == 1;
}

void live_world::heal()
{
    fault_ends_.clear();
    for (unsigned i = 0; i < server_count; ++i)
        servers_.heal(i);
}

// ---- what is left

bool live_world::exists(unsigned server, std::string_view key)
{
    return servers_.command(server, {"EXISTS", std::string(key)}).integer != 0;
}

std::vector<std::string> live_world::keys(unsigned server)
{
    std::vector<std::string> all;
    for (auto const& key : servers_.command(server, {"KEYS", "*"}).items)
        all.push_back(key.text);
    return all;
}

std::string live_world::text(unsigned server, std::string_view key)
{
    auto const reply = servers_.command(server, {"GET", std::string(key)});
    return reply.is_error() ? std::string() : reply.text;
}

std::int64_t live_world::subscribers(unsigned server, std::string_view channel)
{
    auto const reply = servers_.command(server, {"PUBSUB", "NUMSUB", std::string(channel)});
    return reply.items.size() == 2 ? reply.items[1].integer : 0;
}

engine::client_engine::census live_world::census(holdfast::client& c)
{
    counter all;
    auto result = all.result.get_future();
    detail::client_access::state_of(c).send(all);
    while (!has_threads() && result.wait_for(0s) != std::future_status::ready)
        context_.run_one();
    return result.get();
}

// ---- the trace

void live_world::note(std::string_view source, std::string_view what)
{
    auto const us = std::chrono::duration_cast<std::chrono::microseconds>(now() - begin_).count();
    auto line = std::to_string(us) + " us  " + std::string(source) + "  " + std::string(what);
    std::scoped_lock const guard(mutex_);
    trace_.push_back(std::move(line));
    if (trace_.size() > trace_length)
        trace_.pop_front();
}

std::string live_world::trace()
{
    std::scoped_lock const guard(mutex_);
    std::string all;
    for (auto const& line : trace_)
        all.append(line).append("\n");
    return all;
}

}  // namespace holdfast::test::oracle
