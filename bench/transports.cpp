//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Compares the transports to one server: a UNIX socket, TCP over loopback, and TLS over loopback.
#include "contestants/holdfast_lock.hpp"
#include "support/race.hpp"
#include "support/report.hpp"
#include "support/scenario.hpp"

namespace holdfast::bench {
namespace {

constexpr auto by_socket = "holdfast mutex, UNIX socket";
constexpr auto by_tcp = "holdfast mutex, TCP";
constexpr auto by_tls = "holdfast mutex, TLS";

plan make_plan(bool quick)
{
    using namespace std::chrono_literals;
    return quick ? plan{.repetitions = 3, .turns = 1, .turn = 100ms, .warm_up = 50ms} : plan{.turns = 1};
}

void measure(options const& o, redis_server& server, publication& out)
{
    race r(server, make_plan(o.quick));
    r.enter(make_mutex(server, {.name = by_socket, .by = transport::unix_socket}));
    r.enter(make_mutex(server, {.name = by_tcp, .by = transport::tcp_loopback}));
    r.enter(make_mutex(server, {.name = by_tls, .by = transport::tls}));
    for (std::size_t const contenders : {1u, 1000u}) {
        auto const what = contenders == 1 ? quantity::median_wait : quantity::pairs_per_second;
        add_race(
            out, coroutines(contenders), r.run(contenders), {{by_socket, by_tcp, what, 0}, {by_tls, by_tcp, what, 0}});
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv)
{
    return holdfast::bench::run_scenario(
        "transports", argc, argv, holdfast::bench::measure, holdfast::bench::transport::tls);
}
