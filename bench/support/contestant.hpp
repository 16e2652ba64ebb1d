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

// One way of taking and releasing locks, to be compared with others. It has one connection, and an io_context to
// itself, as in a program of its own: timers of the others would change what it does.
class contestant {
public:
    explicit contestant(std::string name) : name_(std::move(name)) {}
    contestant(contestant const&) = delete;
    contestant& operator=(contestant const&) = delete;
    virtual ~contestant() = default;

    std::string const& name() const { return name_; }
    boost::asio::io_context& context() { return context_; }

    virtual boost::asio::awaitable<void> connect() = 0;

    // Makes what so many contenders need; not measured.
    virtual void prepare(std::size_t contenders) = 0;

    // One contender: acquires and releases as long as the heat goes on.
    virtual boost::asio::awaitable<void> contend(std::size_t number, heat&) = 0;

private:
    std::string name_;
    boost::asio::io_context context_;
};

}  // namespace holdfast::bench

#endif
