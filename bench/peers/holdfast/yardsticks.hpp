//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_PEERS_HOLDFAST_YARDSTICKS_HPP
#define HOLDFAST_BENCH_PEERS_HOLDFAST_YARDSTICKS_HPP

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/redis/connection.hpp>
#include <boost/version.hpp>

#include "peers/holdfast/dialogue.hpp"
#include "scripts_generated.hpp"

// Baselines with the interface of a lock: they measure the cost of the server, of the connection and of a process
// without a lock library.
namespace holdfast::bench {

// Boost.Redis as its documentation shows it: one async_exec per command.
class bare_connection {
public:
    static std::string version() { return "Boost " BOOST_LIB_VERSION; }

    bare_connection(asio::io_context& c, std::string const& address)
        : connection_(c, boost::redis::logger(boost::redis::logger::level::err))
    {
        boost::redis::config how;
        how.addr.host = address.substr(0, address.find(':'));
        how.addr.port = address.substr(address.find(':') + 1);
        connection_.set_receive_response(boost::redis::ignore);
        connection_.async_run(how, asio::detached);
    }

protected:
    boost::redis::connection connection_;
};

// An acquire sends a PING. It measures a round trip of the client library that Holdfast uses.
class pings : public bare_connection {
public:
    static constexpr auto lacks = "is no lock";
    struct held {};

    pings(asio::io_context& c, std::string const& address) : bare_connection(c, address) { request_.push("PING"); }

    held make(std::string const&) const { return {}; }
    asio::awaitable<void> ready() { co_await acquire({}); }
    asio::awaitable<held> acquire(held)
    {
        co_await connection_.async_exec(request_, boost::redis::ignore);
        co_return held();
    }
    asio::awaitable<void> release(held&) { co_return; }

private:
    boost::redis::request request_;
};

// The release sends a PING, too: no pair of an acquire and a release that waits for both replies takes less time.
class two_pings : public pings {
public:
    using pings::pings;

    auto release(held& h) { return acquire(h); }
};

// The commands of a holder and of a waiter, without a lock library. Subscriptions end with the connection.
class bare_locks : public bare_connection {
public:
    static constexpr auto lacks = "has no watchdog, no deadline, no answer to a lost reply; one waits per process";
    struct held {
        std::string key, token;
    };

    bare_locks(asio::io_context& c, std::string const& address) : bare_connection(c, address), pushes_(c, 1)
    {
        asio::co_spawn(c, listen(), asio::detached);
    }

    std::string make(std::string const& name) const { return name; }

protected:
    held next(std::string const& key)
    {
        // A version 8 UUID, as those of Holdfast's clients: the scripts of a fair lock check the version.
        auto const pid = std::to_string(::getpid());
        auto const client = "00000000-0000-8000-8000-" + std::string(12 - pid.size(), '0') + pid;
        return {key, client + ":" + std::to_string(++tokens_)};
    }

    static std::string channel_of(std::string const& key) { return "redisson_lock__channel:{" + key + "}"; }

    asio::awaitable<void> load(engine::script const& s)
    {
        boost::redis::request load;
        load.push("SCRIPT", "LOAD", s.text);
        co_await connection_.async_exec(load, boost::redis::ignore);
    }

    // Completes at the next push. The confirmation of the subscription is a push, too: it leads to another attempt.
    asio::awaitable<void> subscribe(std::string const& channel)
    {
        if (subscribed_.insert(channel).second) {
            boost::redis::request subscribe;
            subscribe.subscribe({channel});
            co_await connection_.async_exec(subscribe, boost::redis::ignore);
        }
        co_await pushes_.async_receive(asio::deferred);
    }

private:
    asio::awaitable<void> listen()
    {
        while (true) {
            co_await connection_.async_receive2();
            pushes_.try_send(boost::system::error_code());
        }
    }

    std::set<std::string> subscribed_;
    asio::experimental::channel<void(boost::system::error_code)> pushes_;
    unsigned long tokens_ = 0;
};

class bare_mutexes : public bare_locks {
public:
    using bare_locks::bare_locks;

    asio::awaitable<void> ready() { return load(engine::scripts::mutex_release); }

    asio::awaitable<held> acquire(std::string const& key)
    {
        auto mine = next(key);
        while (!co_await try_to_set(mine))
            co_await subscribe(channel_of(key));
        co_return mine;
    }

    asio::awaitable<void> release(held& mine)
    {
        boost::redis::request release;
        release.push("EVALSHA", engine::scripts::mutex_release.sha1, 1, mine.key, mine.token, channel_of(mine.key));
        boost::redis::response<long long> released;
        co_await connection_.async_exec(release, released);
        if (std::get<0>(released).value() == 0)
            throw std::runtime_error("not released");
    }

private:
    asio::awaitable<bool> try_to_set(held const& wanted)
    {
        boost::redis::request set;
        set.push("SET", wanted.key, wanted.token, "NX", "PX", 30000);
        boost::redis::response<std::optional<std::string>> granted;
        co_await connection_.async_exec(set, granted);
        co_return std::get<0>(granted).value().has_value();
    }
};

// The same for a fair lock. Waiters are not refreshed.
class bare_fair_locks : public bare_locks {
public:
    using bare_locks::bare_locks;

    asio::awaitable<void> ready()
    {
        co_await load(engine::scripts::fair_acquire);
        co_await load(engine::scripts::fair_leave);
    }

    asio::awaitable<held> acquire(std::string const& key)
    {
        auto mine = next(key);
        while (!co_await try_to_take(mine))
            co_await subscribe(channel_of(key) + ":" + mine.token);
        co_return mine;
    }

    asio::awaitable<void> release(held& mine)
    {
        std::vector<std::string> const words{mine.token, channel_of(mine.key), waiter_timeout};
        auto const left = co_await run(engine::scripts::fair_leave, mine.key, words);
        if (left != 1)
            throw std::runtime_error("not released");
    }

private:
    static constexpr auto waiter_timeout = "15000";

    asio::awaitable<bool> try_to_take(held const& wanted)
    {
        std::vector<std::string> const words{
            wanted.token, "30000", waiter_timeout, channel_of(wanted.key), "5", "86400000"};
        auto const refused = co_await run(engine::scripts::fair_acquire, wanted.key, words);
        co_return !refused;
    }

    asio::awaitable<std::optional<long long>> run(
        engine::script const& s, std::string const& key, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> words{std::string(s.sha1), "5", key};
        for (auto* prefix :
             {"redisson_lock_queue", "redisson_lock_timeout", "holdfast_lock_waiters", "holdfast_lock_priority"})
            words.push_back(std::string(prefix) + ":{" + key + "}");
        words.insert(words.end(), arguments.begin(), arguments.end());
        boost::redis::request call;
        call.push_range("EVALSHA", words);
        boost::redis::response<std::optional<long long>> answer;
        co_await connection_.async_exec(call, answer);
        co_return std::get<0>(answer).value();
    }
};

// The same for a semaphore of one permit.
class bare_permits : public bare_locks {
public:
    using bare_locks::bare_locks;

    asio::awaitable<void> ready()
    {
        co_await load(engine::scripts::permits_acquire);
        co_await load(engine::scripts::permits_release);
    }

    asio::awaitable<held> acquire(std::string const& key)
    {
        auto mine = next(key);
        // Only a client that has subscribed is notified.
        while (!co_await try_to_take(mine, std::exchange(is_listening_, true)))
            co_await subscribe(channel_of(key) + ":" + mine.token.substr(0, mine.token.find(':')));
        co_return mine;
    }

    asio::awaitable<void> release(held& mine)
    {
        boost::redis::request call;
        call.push(
            "EVALSHA",
            engine::scripts::permits_release.sha1,
            3,
            mine.key,
            timeouts_of(mine.key),
            waiting_of(mine.key),
            channel_of(mine.key),
            mine.token,
            1);
        boost::redis::response<long long> released;
        co_await connection_.async_exec(call, released);
        if (std::get<0>(released).value() == 0)
            throw std::runtime_error("not released");
    }

private:
    static std::string channel_of(std::string const& key) { return "redisson_sc:{" + key + "}"; }
    static std::string timeouts_of(std::string const& key) { return "{" + key + "}:timeout"; }
    static std::string waiting_of(std::string const& key) { return "holdfast_permit_waiting:{" + key + "}"; }

    asio::awaitable<bool> try_to_take(held const& wanted, bool is_listening)
    {
        boost::redis::request call;
        call.push(
            "EVALSHA",
            engine::scripts::permits_acquire.sha1,
            3,
            wanted.key,
            timeouts_of(wanted.key),
            waiting_of(wanted.key),
            30000,
            1,
            86400000,
            channel_of(wanted.key),
            is_listening ? "1" : "0",
            wanted.token,
            1);
        boost::redis::generic_response granted;
        co_await connection_.async_exec(call, granted);
        co_return granted.value().front().data_type == boost::redis::resp3::type::null;
    }

    bool is_listening_ = false;
};

// A lock inside this process, which is a channel of Asio: the lowest cost that is possible without a server.
class channels {
public:
    static std::string version() { return "Boost " BOOST_LIB_VERSION; }
    static constexpr auto lacks = "is no distributed lock";
    using channel = asio::experimental::channel<void(boost::system::error_code)>;
    using held = std::shared_ptr<channel>;

    explicit channels(asio::io_context& c) : context_(c) {}

    held make(std::string const& name)
    {
        auto& one = by_name_[name];
        if (!one)
            one = std::make_shared<channel>(context_, 1);
        return one;
    }

    asio::awaitable<void> ready() { co_return; }
    asio::awaitable<held> acquire(held one)
    {
        co_await one->async_send(boost::system::error_code(), asio::deferred);
        co_return one;
    }
    asio::awaitable<void> release(held& one)
    {
        one->try_receive([](boost::system::error_code) {});
        co_return;
    }

private:
    asio::io_context& context_;
    std::map<std::string, held> by_name_;
};

}  // namespace holdfast::bench

#endif
