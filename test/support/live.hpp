//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_LIVE_HPP
#define HOLDFAST_TEST_SUPPORT_LIVE_HPP

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast.hpp>

#include "client/client_access.hpp"
#include "support/redirect.hpp"

namespace holdfast::test {

// How long a test waits for an event that must happen: far longer than it takes, since the machine may be busy.
inline constexpr std::chrono::seconds time_limit(60);

// A lease time with which no key expires during a test and hides an error.
inline constexpr std::chrono::minutes long_lease(5);

inline asio::awaitable<void> sleep_for(std::chrono::milliseconds d)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, d);
    co_await timer.async_wait(asio::use_awaitable);
}

// Waits until the condition holds; returns false if it does not within `limit`.
template <class Predicate>
asio::awaitable<bool> comes_true(Predicate holds, std::chrono::milliseconds limit = time_limit)
{
    auto const end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            co_return false;
        co_await sleep_for(std::chrono::milliseconds(2));
    }
    co_return true;
}

// Returns the error with which a coroutine ends, or success.
template <class Awaitable>
asio::awaitable<error_code> failure_of(Awaitable a)
{
    try {
        co_await std::move(a);
    } catch (boost::system::system_error const& e) {
        co_return e.code();
    }
    co_return error_code();
}

// An event loop of one thread with clients of real servers, for tests of several steps.
class live {
public:
    live() = default;
    ~live()
    {
        for (auto& c : clients_)
            c->stop();
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        context_.restart();
        while (!context_.stopped() && std::chrono::steady_clock::now() < end) {
            try {
                context_.run_until(end);
            } catch (std::exception const&) {
                // from a coroutine whose client was stopped
            }
        }
    }

    asio::io_context& context() { return context_; }

    static config quick(std::string url)
    {
        config c;
        c.url = std::move(url);
        c.lease = std::chrono::seconds(10);
        c.command_timeout = std::chrono::seconds(3);
        c.poll_interval = std::chrono::seconds(1);
        return c;
    }

    // Makes a client and runs it.
    holdfast::client& client(config c)
    {
        if (!c.log)
            c.log = [this](log_level, std::string_view line) { log_.emplace_back(line); };
        clients_.push_back(std::make_unique<holdfast::client>(context_, std::move(c)));
        clients_.back()->run(asio::detached);
        return *clients_.back();
    }
    holdfast::client& client(std::string url) { return client(quick(std::move(url))); }

    holdfast::client& at(std::size_t i) { return *clients_.at(i); }

    // Runs the loop until the condition holds; returns false if it does not within `limit`.
    template <class Predicate>
    bool until(Predicate holds, std::chrono::milliseconds limit = time_limit)
    {
        auto const end = std::chrono::steady_clock::now() + limit;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            context_.restart();
            context_.run_one_for(std::chrono::milliseconds(2));
        }
        return true;
    }

    // Runs a coroutine to its end, and rethrows its exception.
    template <class Coroutine>
    void run(Coroutine body, std::chrono::milliseconds limit = 4 * time_limit)
    {
        auto end = std::make_shared<ending>();
        asio::co_spawn(context_, std::move(body), [end](std::exception_ptr e) {
            end->came = true;
            end->error = e;
        });
        if (!until([&] { return end->came; }, limit))
            throw std::runtime_error("the coroutine is stuck");
        if (end->error)
            std::rethrow_exception(end->error);
    }

    // Starts a coroutine that continues beside the next ones.
    template <class Coroutine>
    void spawn(Coroutine body)
    {
        asio::co_spawn(context_, std::move(body), [](std::exception_ptr e) {
            if (e)
                std::rethrow_exception(e);
        });
    }

    static engine::client_engine::census census(holdfast::client& c)
    {
        return detail::client_access::state_of(c).count();
    }

    std::vector<std::string> const& log() const { return log_; }
    long lines_with(std::string_view part) const
    {
        return std::ranges::count_if(log_, [&](auto const& l) { return l.find(part) != l.npos; });
    }

private:
    struct ending {
        bool came = false;
        std::exception_ptr error;
    };

    std::vector<std::string> log_;
    asio::io_context context_{1};
    std::vector<std::unique_ptr<holdfast::client>> clients_;
};

}  // namespace holdfast::test

#endif
