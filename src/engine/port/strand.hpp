//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_STRAND_HPP
#define HOLDFAST_ENGINE_STRAND_HPP

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include "core/memory_end.hpp"

namespace holdfast::engine {

// An executor that ends the process without memory: where a function cannot be queued, and where one is left by
// std::bad_alloc. It forwards all properties.
template <class Inner>
class ending_executor {
public:
    // No conversion of the argument is tried: any_io_executor would ask whether this class is an executor.
    template <std::same_as<Inner> Given>
    explicit ending_executor(Given&& e) noexcept : inner_(std::move(e))
    {}

    // With the result of a function, in place: each post makes three of them, and the move of an any_io_executor is a
    // virtual call.
    template <class Make>
    ending_executor(std::in_place_t, Make const& make) : inner_(make())
    {}

    Inner const& inner() const noexcept { return inner_; }

    template <class Property>
        requires boost::asio::can_query_v<Inner const&, Property>
    decltype(auto) query(Property const& p) const noexcept(boost::asio::is_nothrow_query_v<Inner const&, Property>)
    {
        return boost::asio::query(inner_, p);
    }

    template <class Property>
        requires boost::asio::can_require_v<Inner const&, Property>
    auto require(Property const& p) const noexcept
    {
        return changed([&] { return boost::asio::require(inner_, p); });
    }

    template <class Property>
        requires boost::asio::can_prefer_v<Inner const&, Property>
    auto prefer(Property const& p) const noexcept
    {
        return changed([&] { return boost::asio::prefer(inner_, p); });
    }

    // Both of a strand and of the executor below guard the function: on the way from one to the other, std::bad_alloc
    // would destroy the function, and with it what it owns.
    template <class Function>
    void execute(Function f) const
    {
        core::run_or_end([&] { inner_.execute([f = std::move(f)]() mutable { core::run_or_end(std::move(f)); }); });
    }

    friend bool operator==(ending_executor const& a, ending_executor const& b) noexcept { return a.inner_ == b.inner_; }

private:
    // An any_io_executor may need memory to change a property.
    template <class Make>
    static auto changed(Make const& make) noexcept
    {
        try {
            return ending_executor<std::decay_t<decltype(make())>>(std::in_place, make);
        } catch (std::bad_alloc const&) {
            core::end_without_memory();
        }
    }

    Inner inner_;
};

// A strand of Asio queues a function, and then itself with the executor below, which must not fail: the strand would
// believe to be queued for ever, and run nothing again.
using asio_strand = boost::asio::strand<ending_executor<boost::asio::any_io_executor>>;

// The strand on which all state of a client lives (rule 22). An object that may outlive the execution context, such as
// a lease, must not keep one: the destructor of a strand accesses its context.
//
// Without memory it ends the process. A function that was left by an exception would leave the state of the client half
// changed, and a function that is not queued, such as the completion of a read from the socket, would leave a client
// that never does anything again. An any_io_executor made of it needs memory itself, outside of this guard, to queue a
// function.
class strand : public ending_executor<asio_strand> {
public:
    template <class Executor>
        requires(!std::same_as<Executor, strand> && std::convertible_to<Executor, boost::asio::any_io_executor>)
    explicit strand(Executor const& e)
        : ending_executor(asio_strand(ending_executor<boost::asio::any_io_executor>(boost::asio::any_io_executor(e))))
    {}

    bool running_in_this_thread() const noexcept { return inner().running_in_this_thread(); }
    boost::asio::any_io_executor get_inner_executor() const noexcept { return inner().get_inner_executor().inner(); }
};

}  // namespace holdfast::engine

#endif
