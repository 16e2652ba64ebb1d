//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/strand.hpp"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

namespace asio = boost::asio;
using asio::execution::outstanding_work;

TEST_CASE("the context of a strand has work exactly while a copy on one of several threads has it", "[strand]")
{
    constexpr int threads = 4, copies = 2000;
    asio::io_context context;
    strand const s(context.get_executor());
    std::atomic<int> at_work = threads;
    std::atomic<int> posted = 0;
    auto const copy = [&](strand mine) {
        for (int i = 0; i < copies; ++i) {
            auto next = asio::prefer(s, outstanding_work.tracked);
            asio::post(mine, [other = next, &posted] { ++posted; });
            mine = std::move(next);
        }
        --at_work;  // before its last copy ends
    };
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back(copy, asio::prefer(s, outstanding_work.tracked));
    context.run();
    CHECK(at_work == 0);
    CHECK(posted == threads * copies);
    for (auto& t : all)
        t.join();
    context.restart();
    CHECK(context.poll() == 0);
    CHECK(context.stopped());
}

}  // namespace
}  // namespace holdfast::engine
