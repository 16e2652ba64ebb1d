//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_KEPT_HPP
#define HOLDFAST_TEST_ORACLE_KEPT_HPP

#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "oracle/model.hpp"

namespace holdfast::test::oracle {

// A deferred operation that was made and not launched yet.
class kept_operation {
public:
    virtual ~kept_operation() = default;
    virtual void launch() = 0;
};

template <class Deferred, class Handler>
class kept_deferred final : public kept_operation {
public:
    kept_deferred(Deferred d, Handler h) : deferred_(std::move(d)), handler_(std::move(h)) {}
    void launch() override { std::move(deferred_)(std::move(handler_)); }

private:
    Deferred deferred_;
    Handler handler_;
};

// An operation of a program, from the step that makes it until its end.
struct pending {
    step what;
    boost::asio::any_io_executor where;  // it is launched, cancelled and completed there
    operation* in_model = nullptr;       // set by the launch
    int of_hold = 0;                     // for those on a lease
    lease_state state = lease_state::empty;
    boost::asio::cancellation_signal signal = {};
    std::unique_ptr<kept_operation> kept = {};
    bool moves_lease = false;  // release(): owns the lease
};

}  // namespace holdfast::test::oracle

#endif
