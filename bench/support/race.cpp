//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/race.hpp"

#include <cstdio>
#include <exception>
#include <sys/resource.h>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;

std::chrono::duration<double> to_duration(timeval const& t)
{
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
}

std::chrono::duration<double> own_cpu_time()
{
    rusage used;
    ::getrusage(RUSAGE_SELF, &used);
    return to_duration(used.ru_utime) + to_duration(used.ru_stime);
}

// Runs the context until all coroutines have ended. Connections always have work, so run() would not return.
class finish_line {
public:
    finish_line(asio::io_context& c, std::size_t runners) : context_(c), runners_(runners) {}

    auto handler()
    {
        return [this](std::exception_ptr e) {
            if (e)
                failure_ = e;
            if (--runners_ == 0 || e)
                context_.stop();
        };
    }

    void await()
    {
        context_.restart();
        context_.run();
        if (failure_)
            std::rethrow_exception(failure_);
    }

private:
    asio::io_context& context_;
    std::size_t runners_;
    std::exception_ptr failure_;
};

}  // namespace

spread result::over(std::function<double(repetition const&)> const& quantity) const
{
    std::vector<double> values;
    for (auto const& r : repetitions)
        values.push_back(quantity(r));
    return spread_of(std::move(values));
}

clock::duration result::wait(double share) const
{
    std::vector<clock::duration> all;
    for (auto const& r : repetitions)
        all.insert(all.end(), r.waits.begin(), r.waits.end());
    return quantile(all, share);
}

race::race(redis_server& s, plan const& p) : race(servers{s}, p) {}

race::race(servers all, plan const& p) : servers_(std::move(all)), plan_(p) {}

std::chrono::duration<double> race::server_time() const
{
    std::chrono::duration<double> sum{};
    for (redis_server& each : servers_)
        sum += each.cpu_time();
    return sum;
}

void race::enter(std::unique_ptr<contestant> c)
{
    finish_line line(c->context(), 1);
    asio::co_spawn(c->context(), c->connect(), line.handler());
    line.await();
    contestants_.push_back(std::move(c));
}

std::vector<result> race::run(std::size_t contenders)
{
    std::vector<result> results;
    for (auto const& c : contestants_) {
        repetition unused;
        c->prepare(contenders);
        take_turn(*c, contenders, plan_.warm_up, unused);
        results.push_back({c->name(), {}});
    }
    for (int r = 0; r < plan_.repetitions; ++r) {
        for (auto& one : results)
            one.repetitions.emplace_back();
        for (int t = 0; t < plan_.turns; ++t)
            for (std::size_t i = 0; i < contestants_.size(); ++i)
                take_turn(*contestants_[i], contenders, plan_.turn, results[i].repetitions.back());
        std::fprintf(stderr, "\r%zu contenders: repetition %d of %d", contenders, r + 1, plan_.repetitions);
    }
    std::fprintf(stderr, "\r%50s\r", "");
    return results;
}

void race::take_turn(contestant& c, std::size_t contenders, std::chrono::milliseconds length, repetition& into)
{
    finish_line line(c.context(), contenders);
    auto const server_before = server_time();
    auto const client_before = own_cpu_time();
    auto const start = clock::now();
    heat h(length, into.waits);
    for (std::size_t i = 0; i < contenders; ++i)
        asio::co_spawn(c.context(), c.contend(i, h), line.handler());
    line.await();
    into.wall += clock::now() - start;
    into.client_cpu += own_cpu_time() - client_before;
    into.server_cpu += server_time() - server_before;
}

}  // namespace holdfast::bench
