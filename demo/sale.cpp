//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sale.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <signal.h>
#include <sstream>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "progress.hpp"
#include "seller_process.hpp"
#include "shop.hpp"

namespace demo {
namespace {

using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto longest_sale = 60s;

// The state of one process, as the parent knows it.
struct participant {
    std::unique_ptr<seller_process> process;
    bool is_ready = false;
    bool is_done = false;  // it reported "done"
    bool has_ended = false;
    int sold = 0;
    std::optional<unsigned long long> inside;  // the fencing token of its victim, which holds the lock
    std::optional<steady_clock::time_point> noticed;
};

class sale {
public:
    sale(asio::any_io_executor const& e, sale_options const& o, progress& p)
        : executor_(e), options_(o), progress_(p), shop_(e, o.socket, o.name), changed_(e)
    {
        changed_.expires_at(steady_clock::time_point::max());
    }

    asio::awaitable<sale_result> hold()
    {
        co_await shop_.write_stock(goods);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            all_[i].process = std::make_unique<seller_process>(executor_, options_for(i));
            asio::co_spawn(executor_, listen(all_[i]), asio::detached);
        }
        co_await until([&] { return std::ranges::all_of(all_, &participant::is_ready); });

        auto const start = steady_clock::now();
        for (auto& p : all_)
            p.process->go();
        co_await (
            kill_one() && stop_one() && until([&] { return std::ranges::all_of(all_, &participant::has_ended); }));
        result_.took = steady_clock::now() - start;
        result_.stock_left = co_await shop_.read_stock();
        shop_.stop();
        co_return finish();
    }

private:
    seller_options options_for(std::size_t i) const
    {
        seller_options o;
        o.socket = options_.socket;
        o.sale = options_.name;
        o.guard = options_.guard;
        o.lease = options_.lease;
        o.buyers = buyers_per_process;
        o.is_victim = options_.killed == i || options_.stopped == i;
        return o;
    }

    asio::awaitable<void> listen(participant& p)
    {
        for (auto line = co_await p.process->next(); !line.empty(); line = co_await p.process->next()) {
            take(p, line);
            changed_.cancel();
        }
        p.has_ended = true;
        changed_.cancel();
    }

    void take(participant& p, std::string const& line)
    {
        std::istringstream words(line);
        std::string what;
        unsigned long long token = 0;
        long long other = 0;
        words >> what >> token >> other;
        if (what == "sold" || what == "late")
            take_served(p, what == "sold", token, std::chrono::microseconds(other));
        else if (what == "ready")
            p.is_ready = true;
        else if (what == "inside")
            newest_ = std::max(newest_, *(p.inside = token));
        else if (what == "noticed")
            p.noticed = steady_clock::now();
        else if (what == "refused")
            ++result_.stale_refused;
        else if (what == "accepted")
            ++result_.stale_accepted;
        else if (what == "done") {
            p.is_done = true;
            result_.handed_off += token;
            result_.lost += static_cast<std::uint64_t>(other);
        }
    }

    void take_served(participant& p, bool sold, unsigned long long token, std::chrono::microseconds waited)
    {
        result_.waits.push_back(waited);
        p.sold += sold ? 1 : 0;
        sold_ += sold ? 1 : 0;
        newest_ = std::max(newest_, token);
        if (sold && token != 0 && !tokens_.insert(token).second)
            result_.tokens_differ = false;
        progress_.show(options_.title, sold_, static_cast<int>(result_.waits.size()));
    }

    // Waits for the report "inside", so that the signal reaches the process while it holds the lock.
    asio::awaitable<void> kill_one()
    {
        if (!options_.killed)
            co_return;
        auto& p = all_[*options_.killed];
        co_await until([&] { return p.inside.has_value(); });
        progress_.print("      process " + std::to_string(*options_.killed + 1) + " is inside the lock: SIGKILL");
        p.process->kill();
        auto const killed = steady_clock::now();
        co_await until([&] { return newest_ > *p.inside; });
        result_.freed_after = steady_clock::now() - killed;
    }

    // The stopped process continues only after another process has acquired the lock.
    asio::awaitable<void> stop_one()
    {
        if (!options_.stopped)
            co_return;
        auto& p = all_[*options_.stopped];
        co_await until([&] { return p.inside.has_value(); });
        auto const number = std::to_string(*options_.stopped + 1);
        progress_.print("      process " + number + " is inside the lock: SIGSTOP");
        p.process->send(SIGSTOP);
        co_await until([&] { return newest_ > *p.inside; });
        progress_.print("      its lease ran out, others hold the lock: process " + number + " gets SIGCONT");
        auto const continued = steady_clock::now();
        p.process->send(SIGCONT);
        co_await until([&] { return p.noticed || p.has_ended; });
        if (p.noticed)
            result_.noticed_after = *p.noticed - continued;
    }

    asio::awaitable<void> until(std::function<bool()> const holds)
    {
        while (!holds()) {
            if (std::ranges::any_of(all_, [](auto const& p) { return p.has_ended && !p.is_ready; }))
                throw std::runtime_error("a process of the sale did not start");
            if (steady_clock::now() > limit_)
                throw std::runtime_error("the sale takes too long");
            boost::system::error_code woken;
            asio::steady_timer tick(executor_, 100ms);
            co_await (
                changed_.async_wait(asio::redirect_error(asio::use_awaitable, woken))
                || tick.async_wait(asio::use_awaitable));
        }
    }

    sale_result finish()
    {
        std::ranges::sort(result_.waits);
        result_.is_complete = true;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            result_.sold[i] = all_[i].sold;
            result_.is_complete &= all_[i].is_done != (options_.killed == i);
        }
        return std::move(result_);
    }

    asio::any_io_executor const executor_;
    sale_options const options_;
    progress& progress_;
    shop shop_;
    asio::steady_timer changed_;
    std::array<participant, processes> all_;
    sale_result result_;
    int sold_ = 0;
    unsigned long long newest_ = 0;  // the greatest fencing token of all holders so far
    std::set<unsigned long long> tokens_;
    steady_clock::time_point const limit_ = steady_clock::now() + longest_sale;
};

}  // namespace

int sale_result::sold_in_all() const
{
    return std::accumulate(sold.begin(), sold.end(), 0);
}

asio::awaitable<sale_result> hold_sale(sale_options const& o, progress& p)
{
    sale s(co_await asio::this_coro::executor, o, p);
    auto result = co_await s.hold();
    p.finish(o.title, result.sold_in_all(), static_cast<int>(result.waits.size()));
    co_return result;
}

}  // namespace demo
