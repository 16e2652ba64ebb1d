//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/strand.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <catch2/catch_test_macros.hpp>

namespace holdfast::engine {
namespace {

namespace asio = boost::asio;
using asio::execution::blocking;
using asio::execution::outstanding_work;

// Whether the context would go on for want of an end of its work.
bool has_work(asio::io_context& c)
{
    c.restart();
    c.poll();
    return !c.stopped();
}

TEST_CASE("strand: a function that is dispatched on it runs at once, one that is posted runs later", "[strand]")
{
    asio::io_context context;
    strand const s(context.get_executor());
    std::string order;
    asio::post(s, [&] {
        order += s.running_in_this_thread() ? "i" : "o";
        asio::post(s, [&] { order += "3"; });
        asio::dispatch(s, [&] { order += "1"; });
        asio::dispatch(asio::require(s, blocking.never), [&] { order += "4"; });
        order += "2";
    });
    CHECK(order.empty());
    context.run();
    CHECK(order == "i1234");
    CHECK_FALSE(s.running_in_this_thread());
}

TEST_CASE("strand: an any_io_executor of it is the same strand", "[strand]")
{
    asio::io_context context;
    strand const s(context.get_executor());
    asio::any_io_executor const erased = s;
    CHECK(*erased.target<strand>() == s);
    CHECK(&asio::query(erased, asio::execution::context) == &context);
    CHECK(s.get_inner_executor() == asio::any_io_executor(context.get_executor()));
    CHECK(strand(context.get_executor()) != s);
    bool is_inside = false;
    asio::post(asio::prefer(erased, outstanding_work.tracked), [&] { is_inside = s.running_in_this_thread(); });
    context.run();
    CHECK(is_inside);
}

// Asio changes properties of an any_io_executor in functions that are noexcept.
TEST_CASE("strand: an any_io_executor of it needs no memory", "[strand]")
{
    asio::io_context context;
    strand const s(context.get_executor());
    asio::any_io_executor const erased = s;
    for (auto const& e :
         {erased, asio::require(erased, blocking.never), asio::prefer(erased, outstanding_work.tracked)}) {
        std::less_equal<void const*> const is_not_after;
        CHECK(is_not_after(&e, e.target<strand>()));
        CHECK(is_not_after(e.target<strand>() + 1, &e + 1));
    }
}

TEST_CASE("strand: the context has work while a copy has it", "[strand]")
{
    asio::io_context context;
    std::optional<strand> s(context.get_executor());
    CHECK_FALSE(has_work(context));
    std::optional<strand> first = asio::prefer(*s, outstanding_work.tracked);
    CHECK(has_work(context));
    std::optional second = *first;
    std::optional third = std::move(*first);
    first.reset();
    second.reset();
    CHECK(has_work(context));
    third = *s;
    CHECK_FALSE(has_work(context));
    third = asio::prefer(*s, outstanding_work.tracked);
    s.reset();
    CHECK(has_work(context));
    third.reset();
    CHECK_FALSE(has_work(context));
}

}  // namespace
}  // namespace holdfast::engine
