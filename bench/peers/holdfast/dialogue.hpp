//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_PEERS_HOLDFAST_DIALOGUE_HPP
#define HOLDFAST_BENCH_PEERS_HOLDFAST_DIALOGUE_HPP

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace holdfast::bench {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

// The protocol of bench/peers/README.md, for locks that coroutines take. Locks has
//     version(), lacks, typename held
//     handle make(std::string const& name)            of one contender
//     co_await acquire(handle const&) -> held
//     co_await release(held&)
template <class Locks>
class dialogue {
public:
    dialogue(asio::io_context& c, Locks& l) : context_(c), locks_(l), input_(c, ::dup(STDIN_FILENO)) {}

    void start() { asio::co_spawn(context_, listen(), end); }

private:
    using handle = decltype(std::declval<Locks&>().make({}));

    // The work of the contenders for one request `pairs`.
    struct turn {
        std::size_t contenders = 0, names = 0;
        std::chrono::milliseconds hold{};
        clock::time_point begin, end;

        std::size_t pairs = 0;
        std::vector<long> waits = {};
        std::size_t going_on = 0;
    };

    // A lock that a request `acquire` acquired and a request `release` will release.
    struct place {
        handle lock;
        typename Locks::held taken;
    };

    // Called when a coroutine ends. An error ends the program; otherwise the other coroutines continue.
    static void end(std::exception_ptr e)
    try {
        if (e)
            std::rethrow_exception(e);
    } catch (std::exception const& error) {
        std::printf("{\"failed\": \"%s\"}\n", error.what());
        std::fflush(stdout);
        std::_Exit(EXIT_FAILURE);
    }

    asio::awaitable<void> listen()
    {
        std::printf("{\"version\": \"%s\", \"lacks\": \"%s\"}\n", Locks::version().c_str(), Locks::lacks);
        std::fflush(stdout);
        std::string text;
        while (true) {
            boost::system::error_code ec;
            auto const size = co_await asio::async_read_until(
                input_, asio::dynamic_buffer(text), '\n', asio::redirect_error(asio::use_awaitable, ec));
            if (ec)
                std::_Exit(EXIT_SUCCESS);  // the locks expire
            answer(text.substr(0, size));
            text.erase(0, size);
        }
    }

    void answer(std::string const& line)
    {
        std::istringstream words(line);
        std::string verb, name;
        int contender = 0;
        words >> verb;
        if (verb == "pairs")
            return asio::co_spawn(context_, pairs(parse(words)), end);
        words >> name >> contender;
        asio::co_spawn(context_, verb == "acquire" ? acquire(name, contender) : release(name, contender), end);
    }

    static turn parse(std::istringstream& words)
    {
        turn t;
        long hold = 0, begin = 0, end = 0;
        words >> t.contenders >> t.names >> hold >> begin >> end;
        t.hold = std::chrono::milliseconds(hold);
        t.begin = clock::time_point(std::chrono::nanoseconds(begin));
        t.end = clock::time_point(std::chrono::nanoseconds(end));
        return t;
    }

    asio::awaitable<void> pairs(turn t)
    {
        asio::steady_timer over(context_, clock::time_point::max());
        t.going_on = t.contenders;
        for (std::size_t i = 0; i < t.contenders; ++i)
            asio::co_spawn(context_, contend(i, t, over), end);
        boost::system::error_code cancelled;
        co_await over.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
        report(t);
    }

    asio::awaitable<void> contend(std::size_t number, turn& t, asio::steady_timer& over)
    {
        auto const lock = locks_.make("bench:" + std::to_string(number % t.names));
        asio::steady_timer holds(context_);
        for (auto requested = clock::now(); requested < t.end; requested = clock::now()) {
            auto taken = co_await locks_.acquire(lock);
            auto const at = clock::now();
            note(t, requested, at);
            if (t.hold.count() > 0 && at < t.end) {
                holds.expires_at(at + t.hold);
                co_await holds.async_wait(asio::use_awaitable);
            }
            co_await locks_.release(taken);
        }
        leave(t, over);
    }

    static void note(turn& t, clock::time_point requested, clock::time_point at)
    {
        if (at < t.begin)
            return;
        t.pairs += at < t.end;
        t.waits.push_back(std::chrono::duration_cast<std::chrono::microseconds>(at - requested).count());
    }

    static void leave(turn& t, asio::steady_timer& over)
    {
        if (--t.going_on == 0)
            over.cancel();
    }

    static void report(turn const& t)
    {
        std::printf("{\"pairs\": %zu, \"waits\": [", t.pairs);
        for (std::size_t i = 0; i < t.waits.size(); ++i)
            std::printf(i == 0 ? "%ld" : ",%ld", t.waits[i]);
        std::printf("]}\n");
        std::fflush(stdout);
    }

    asio::awaitable<void> acquire(std::string name, int contender)
    {
        auto lock = locks_.make(name);
        auto const requested = clock::now();
        auto taken = co_await locks_.acquire(lock);
        auto const at = clock::now();
        places_.insert_or_assign({name, contender}, place{std::move(lock), std::move(taken)});
        std::printf(
            "{\"acquired\": %d, \"requested\": %ld, \"at\": %ld}\n",
            contender,
            nanoseconds(requested),
            nanoseconds(at));
        std::fflush(stdout);
    }

    asio::awaitable<void> release(std::string name, int contender)
    {
        auto mine = places_.extract({name, contender});
        auto const at = clock::now();
        co_await locks_.release(mine.mapped().taken);
        std::printf("{\"released_at\": %ld}\n", nanoseconds(at));
        std::fflush(stdout);
    }

    static long nanoseconds(clock::time_point t) { return std::chrono::nanoseconds(t.time_since_epoch()).count(); }

    asio::io_context& context_;
    Locks& locks_;
    asio::posix::stream_descriptor input_;
    std::map<std::pair<std::string, int>, place> places_;
};

}  // namespace holdfast::bench

#endif
