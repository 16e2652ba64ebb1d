//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_VIRTUAL_EXECUTOR_HPP
#define HOLDFAST_TEST_SUPPORT_VIRTUAL_EXECUTOR_HPP

#include <utility>

#include <boost/asio/execution.hpp>

#include "support/virtual_world.hpp"

namespace holdfast::test {

// Posts to one process of a virtual world. Meets the requirements of boost::asio::any_io_executor.
class virtual_executor {
    using blocking_t = boost::asio::execution::blocking_t;
    using work_t = boost::asio::execution::outstanding_work_t;

public:
    explicit virtual_executor(process& p) noexcept : process_(&p) {}
    virtual_executor(virtual_executor const& o) noexcept : process_(o.process_), may_run_now_(o.may_run_now_)
    {
        track(o.tracked_);
    }
    virtual_executor& operator=(virtual_executor const&) = delete;
    ~virtual_executor() { track(false); }

    test::process& home() const noexcept { return *process_; }

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept;
    virtual_world& context() const noexcept;

    blocking_t query(blocking_t) const noexcept
    {
        return may_run_now_ ? blocking_t(blocking_t::possibly) : blocking_t(blocking_t::never);
    }
    work_t query(work_t) const noexcept { return tracked_ ? work_t(work_t::tracked) : work_t(work_t::untracked); }

    virtual_executor require(blocking_t::possibly_t) const noexcept { return {*process_, true, tracked_}; }
    virtual_executor require(blocking_t::never_t) const noexcept { return {*process_, false, tracked_}; }
    virtual_executor require(work_t::tracked_t) const noexcept { return {*process_, may_run_now_, true}; }
    virtual_executor require(work_t::untracked_t) const noexcept { return {*process_, may_run_now_, false}; }

    template <class Function>
    void execute(Function f) const
    {
        if (may_run_now_ && is_inside())
            std::move(f)();
        else
            post(task(std::move(f)));
    }

    friend bool operator==(virtual_executor const& a, virtual_executor const& b) noexcept
    {
        return a.process_ == b.process_ && a.may_run_now_ == b.may_run_now_ && a.tracked_ == b.tracked_;
    }

private:
    virtual_executor(test::process& p, bool may_run_now, bool tracked) noexcept
        : process_(&p), may_run_now_(may_run_now)
    {
        track(tracked);
    }

    bool is_inside() const noexcept;
    void post(task) const;
    void track(bool) noexcept;

    test::process* process_;
    bool may_run_now_ = true;
    bool tracked_ = false;
};

}  // namespace holdfast::test

#endif
