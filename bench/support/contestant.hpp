//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_CONTESTANT_HPP
#define HOLDFAST_BENCH_SUPPORT_CONTESTANT_HPP

#include <cstddef>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "support/heat.hpp"

namespace holdfast::bench {

// One way to acquire and release locks, to be compared with others. It has one connection and an io_context of its own,
// as in a program of its own: the timers of other contestants would affect its results.
class contestant {
public:
    explicit contestant(std::string name) : name_(std::move(name)) {}
    contestant(contestant const&) = delete;
    contestant& operator=(contestant const&) = delete;
    virtual ~contestant() = default;

    std::string const& name() const { return name_; }
    boost::asio::io_context& context() { return context_; }

    virtual boost::asio::awaitable<void> connect() = 0;

    // Creates the objects that the contenders need. This is not measured.
    virtual void prepare(std::size_t contenders) = 0;

    // One contender: acquires and releases until the heat ends.
    virtual boost::asio::awaitable<void> contend(std::size_t number, heat&) = 0;

private:
    std::string name_;
    boost::asio::io_context context_;
};

}  // namespace holdfast::bench

#endif
