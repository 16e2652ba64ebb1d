//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A process forks while it holds locks. The child has copies of the client, of its connection and of the leases; whatever
// it does with them, the locks and the connection stay those of its parent. A program of its own: the child that calls
// exit() destroys the static objects of the program.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support/all_kinds.hpp"
#include "support/all_leases.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::execution_context;

enum class act { destroys_leases, destroys_client, operates, continues, makes_client, exits };

struct choice {
    act what;
    bool is_tcp;    // else a UNIX socket
    bool notifies;  // the program calls notify_fork(), as Asio requires of one that uses the context in the child
};

// Without notify_fork(), parent and child have one reactor. Then a child that runs it must not have a UNIX socket.
std::vector<choice> all_choices()
{
    std::vector<choice> all;
    for (auto const a :
         {act::destroys_leases, act::destroys_client, act::operates, act::continues, act::makes_client, act::exits})
        for (bool const is_tcp : {true, false})
            for (bool const notifies : {true, false})
                if (notifies || is_tcp || (a != act::continues && a != act::operates))
                    all.push_back({a, is_tcp, notifies});
    return all;
}

class parent {
public:
    explicit parent(choice c) : choice_(c)
    {
        auto options = live::quick(c.is_tcp ? server_.tcp_url() : server_.url());
        options.lease = 60s;
        options.log = [this](log_level, std::string_view line) { log_.emplace_back(line); };
        client_.emplace(context_, options);
        client_->run(asio::detached);
    }

    // Returns the exit status of the child; 0: all was right there.
    int run()
    {
        asio::co_spawn(context_, acquire_and_fork(), rethrow);
        run_until([this] { return child_ > 0; });
        int status = -1;
        run_until([&] { return ::waitpid(child_, &status, WNOHANG) == child_; });
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    void check_locks()
    {
        CHECK(are_held(held_));
        CHECK(connections() == connections_ + (choice_.what == act::makes_client));  // its own
        CHECK(lines_ == log_.size());
        bool done = false;
        asio::co_spawn(context_, use_locks(done), rethrow);
        run_until([&] { return done; });
    }

private:
    static void rethrow(std::exception_ptr e)
    {
        if (e)
            std::rethrow_exception(e);
    }

    template <class Predicate>
    void run_until(Predicate holds)
    {
        auto const end = std::chrono::steady_clock::now() + time_limit;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end)
                throw std::runtime_error("the parent is stuck");
            context_.restart();
            context_.run_one_for(2ms);
        }
    }

    void notify(execution_context::fork_event e)
    {
        if (choice_.notifies)
            context_.notify_fork(e);
    }

    // The reply to is_locked() is under way at the fork.
    awaitable<void> acquire_and_fork()
    {
        locks_ = locks_of_all_kinds(*client_, {"k"});
        for (auto const& l : locks_)
            held_.push_back(co_await l.acquire());
        connections_ = connections();
        lines_ = log_.size();
        for (auto const& l : locks_)
            l.is_locked([](error_code, bool) {});
        std::fflush(nullptr);
        notify(execution_context::fork_prepare);
        auto const pid = ::fork();
        if (pid == 0) {
            ::alarm(50);  // a child that hangs ends with a signal
            notify(execution_context::fork_child);
            bool const is_right = co_await is_child_right();
            ::_exit(is_right ? 0 : 1);
        }
        notify(execution_context::fork_parent);
        child_ = pid;
    }

    awaitable<bool> is_child_right()
    {
        bool is_right = std::ranges::none_of(held_, [](lease const& l) { return l.valid(); });
        switch (choice_.what) {
            case act::destroys_leases: held_.clear(); break;
            case act::destroys_client:
                client_.reset();
                held_.clear();
                break;
            case act::operates: is_right = is_right && co_await do_operations_end(); break;
            case act::continues: co_await sleep_for(200ms); break;
            case act::makes_client: is_right = is_right && can_use_client_of_its_own(); break;
            case act::exits: std::exit(is_right ? 0 : 1);
        }
        co_return is_right;
    }

    awaitable<bool> do_operations_end()
    {
        auto const token = asio::as_tuple(asio::use_awaitable);
        bool is_right = true;
        for (std::size_t i = 0; i < locks_.size(); ++i) {
            auto const [acquired, l] = co_await locks_[i].acquire(token);
            auto const [asked, is_locked] = co_await locks_[i].is_locked(token);
            auto const [extended] = co_await held_[i].extend(10s, token);
            auto const [released] = co_await held_[i].release(token);
            for (auto const& ec : {acquired, asked, extended, released})
                is_right = is_right && ec == errc::client_stopped;
        }
        auto const [ready] = co_await client_->ready(token);
        auto const [shut, left] = co_await client_->shutdown(token);
        client_->stop();
        co_return is_right&& ready == errc::client_stopped&& shut == errc::client_stopped&& left == 0;
    }

    // It has other tokens, and finds the locks of the parent held.
    bool can_use_client_of_its_own()
    {
        live l;
        auto& mine = l.client(choice_.is_tcp ? server_.tcp_url() : server_.url());
        bool is_right = false;
        l.run([](holdfast::client& c, std::string_view parent, bool& done) -> awaitable<void> {
            auto const held = co_await mutex(c, "k-m").try_acquire();
            auto const free = co_await mutex(c, "child").acquire();
            done = held.empty() && free.valid() && c.id() != parent;
        }(mine, client_->id(), is_right));
        return is_right;
    }

    long connections() { return std::stol(server_.info("total_connections_received")); }

    // The server confirms each lease.
    awaitable<void> use_locks(bool& done)
    {
        for (auto& l : held_)
            co_await l.extend(70s);
        for (auto const& l : locks_)
            CHECK(co_await l.is_locked());
        for (auto& l : held_)
            co_await l.release();
        done = true;
    }

    choice const choice_;
    redis_server server_;
    std::vector<std::string> log_;
    asio::io_context context_{1};
    std::optional<holdfast::client> client_;
    std::vector<any_lock> locks_;
    std::vector<lease> held_;
    long connections_ = 0;
    std::size_t lines_ = 0;  // of the log
    pid_t child_ = 0;
};

TEST_CASE("the locks and the connection of a process stay its own, whatever its forked child does", "[fork]")
{
    auto const c = GENERATE(from_range(all_choices()));
    CAPTURE(int(c.what), c.is_tcp, c.notifies);
    parent p(c);
    CHECK(p.run() == 0);
    p.check_locks();
}

}  // namespace
}  // namespace holdfast::test
