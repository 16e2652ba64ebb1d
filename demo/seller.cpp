//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "seller.hpp"

#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast/client.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/with_lock.hpp>

#include "shop.hpp"

namespace demo {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr auto time_to_pay = 2ms;

// One write for each event: no event is lost if this process is killed after it.
template <class... Numbers>
void report(std::string line, Numbers... numbers)
{
    ((line += " " + std::to_string(numbers)), ...);
    line += "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        ::_exit(1);  // the parent has ended
}

class seller {
public:
    explicit seller(seller_options const& o)
        : options_(o),
          client_(context_, settings(o)),
          shop_(context_.get_executor(), o.socket, o.sale),
          lock_(client_, "flash-sale:" + o.sale, {.fencing = o.guard == guard::lock_and_token})
    {
        client_.run(asio::detached);
    }

    void run()
    {
        asio::co_spawn(context_, open(), [](std::exception_ptr e) {
            if (e)
                std::rethrow_exception(e);
        });
        context_.run();
    }

private:
    static holdfast::config settings(seller_options const& o)
    {
        holdfast::config c;
        c.url = "unix://" + o.socket;
        c.lease = o.lease;
        c.log = [](holdfast::log_level, std::string_view) {};  // losses are intended; the table shows them
        return c;
    }

    asio::awaitable<void> open()
    {
        co_await client_.ready();
        co_await shop_.read_stock();
        report("ready");
        std::string line;
        std::getline(std::cin, line);  // all processes start at once

        waiting_ = options_.buyers;
        for (int i = 0; i < options_.buyers; ++i)
            asio::co_spawn(context_, buyer(), [this](std::exception_ptr e) {
                if (e)
                    std::rethrow_exception(e);
                if (--waiting_ == 0)
                    asio::co_spawn(context_, close(), asio::detached);
            });
    }

    asio::awaitable<void> close()
    {
        co_await client_.shutdown();
        shop_.stop();
        auto const s = client_.stats();
        report("done", s.handed_off, s.lost);
    }

    asio::awaitable<void> buyer()
    {
        time_point const requested = steady_clock::now();
        if (options_.guard == guard::none) {
            co_await buy(requested);
            co_return;
        }
        try {
            co_await holdfast::with_lock(lock_, [&](holdfast::lease& lease) -> asio::awaitable<void> {
                if (lease.fencing_token())
                    co_await buy(requested, lease);
                else
                    co_await buy(requested);
            });
        } catch (boost::system::system_error const& e) {
            if (e.code() != holdfast::errc::lease_lost)
                throw;
        }
    }

    using time_point = steady_clock::time_point;

    asio::awaitable<void> buy(time_point requested)
    {
        auto const waited = since(requested);
        int const left = co_await shop_.read_stock();
        if (left == 0)
            co_return report("late", 0, waited);
        co_await pay();
        co_await shop_.write_stock(left - 1);
        report("sold", 0, waited);
    }

    asio::awaitable<void> buy(time_point requested, holdfast::lease& lease)
    {
        auto const waited = since(requested);
        auto const token = *lease.fencing_token();
        auto const left = co_await shop_.read_stock(token);
        if (!left)
            co_return;
        if (*left == 0)
            co_return report("late", token, waited);
        if (options_.is_victim && !std::exchange(was_inside_, true)) {
            co_await stay_inside(lease, token, *left);
            co_return;
        }
        co_await pay();
        if (co_await shop_.write_stock(*left - 1, token))
            report("sold", token, waited);
    }

    // The buyer whose process is killed, or is stopped and continues after another process has acquired the lock.
    asio::awaitable<void> stay_inside(holdfast::lease& lease, std::uint64_t token, int left)
    {
        report("inside", token);
        error_code cancelled;
        asio::steady_timer for_ever(context_, steady_clock::time_point::max());
        co_await for_ever.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));

        // with_lock has cancelled this coroutine, because the lease is lost. A correct program stops here. This one
        // shows a program that does not check its lease: it writes the value that it had computed.
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        if (!lease.valid())
            report("noticed");
        bool const accepted = co_await shop_.write_stock(left - 1, token);
        report(accepted ? "accepted" : "refused");
    }

    asio::awaitable<void> pay()
    {
        asio::steady_timer timer(context_, time_to_pay);
        co_await timer.async_wait(asio::use_awaitable);
    }

    static long long since(time_point t)
    {
        return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - t).count();
    }

    seller_options const options_;
    asio::io_context context_{1};
    holdfast::client client_;
    shop shop_;
    holdfast::mutex const lock_;
    int waiting_ = 0;
    bool was_inside_ = false;
};

}  // namespace

int run_seller(seller_options const& o)
{
    seller(o).run();
    return 0;
}

}  // namespace demo
