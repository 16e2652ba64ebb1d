//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_ALL_OF_HPP
#define HOLDFAST_BENCH_SUPPORT_ALL_OF_HPP

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace holdfast::bench {

// Launches `start(i, done)` for each i below `count` and resumes the caller from the last of those that end.
template <class Start>
boost::asio::awaitable<void> all_of(std::size_t count, Start start)
{
    co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void()>(
        [&](auto handler) {
            auto const left = std::make_shared<std::pair<std::size_t, decltype(handler)>>(count, std::move(handler));
            for (std::size_t i = 0; i < count; ++i)
                start(i, [left] {
                    if (--left->first == 0)
                        std::move(left->second)();
                });
        },
        boost::asio::use_awaitable);
}

}  // namespace holdfast::bench

#endif
