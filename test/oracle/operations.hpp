//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_OPERATIONS_HPP
#define HOLDFAST_TEST_ORACLE_OPERATIONS_HPP

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include <boost/asio/awaitable.hpp>

#include "oracle/adapters.hpp"
#include "oracle/clients.hpp"
#include "oracle/kept.hpp"
#include "oracle/leases.hpp"
#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// Executes the steps that call the library, and reports each launch and each completion to the model. Steps and
// completions may come from several threads: a mutex guards the model and everything that the program has. The calls
// that begin an operation on a lock are made without the mutex, so that they can run at once.
class operations {
public:
    operations(world& w, model& m, client_set& c, lease_set& l, std::mutex& all)
        : world_(w), model_(m), clients_(c), leases_(l), mutex_(all)
    {}

    // The executor of a step: that of the operation to which it refers.
    asio::any_io_executor place_of(step const&);
    void execute(step const&, asio::any_io_executor const& where);

    // Drops every lease, and every operation that was not launched.
    void give_up_everything();

    // ---- under the mutex
    unsigned under_way() const noexcept { return under_way_; }
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t grants() const noexcept { return grants_; }

    // Report lost() operations that should have completed, and all operations that did not complete.
    void check_watches();
    void check_completion();

    // From here on completions are not reported to the model.
    void end();

private:
    using guard = std::unique_lock<std::mutex>;

    // A step that is being executed.
    struct execution {
        step const& what;
        asio::any_io_executor const& where;
        guard& held;
    };

    // ---- the steps
    void acquire(execution);
    void scope(execution);
    void query(execution);
    void use_latch(execution);
    void release(execution);
    void extend(execution);
    void watch(execution);
    void downgrade(execution);
    void cancel(execution);
    void launch(execution);
    void forget(execution);

    // ---- their parts
    std::shared_ptr<pending> make_pending(step const&, asio::any_io_executor const& where);
    std::shared_ptr<pending> make_pending_on(execution, slot const&);
    std::shared_ptr<pending> find(step const&) const;
    std::shared_ptr<pending> find_here(execution) const;
    void give_up(pending&);
    void on_launch(pending&);
    template <class Handler>
    auto handler_of(std::shared_ptr<pending>, Handler);
    template <class Make, class Handler>
    void begin(std::shared_ptr<pending> const&, Make&, Handler const&);
    template <class Make, class Handler>
    void begin_on_lock(execution, std::shared_ptr<pending>, Make, Handler);
    template <class Make, class Handler>
    void begin_on_lease(execution, std::shared_ptr<pending>, Make, Handler);
    void keep_lease(step const&, operation&, error_code, holdfast::lease);
    void keep_read(step const&, operation&, error_code, holdfast::lease);

    // ---- with_lock: scopes.cpp
    struct body_end;
    asio::awaitable<void> scoped(lock_handle, step, std::shared_ptr<pending>);
    template <class Lock>
    asio::awaitable<void> scoped_with(Lock, step, std::shared_ptr<pending>);
    asio::awaitable<void> body(holdfast::lease&, step, std::shared_ptr<pending>, bool& ran);
    int enter_body(holdfast::lease const&, pending&);
    std::shared_ptr<pending> launch_inner(step const&, asio::any_io_executor const& where);
    asio::awaitable<void> inner_scope(step, asio::any_io_executor where);

    slot& slot_of(step const& s, field f = field::slot) { return leases_.at(s.get(f)); }

    world& world_;
    model& model_;
    client_set& clients_;
    lease_set& leases_;
    std::mutex& mutex_;
    std::map<std::int64_t, std::shared_ptr<pending>> named_;
    std::deque<std::shared_ptr<pending>> all_;
    bool is_ending_ = false;
    unsigned under_way_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t grants_ = 0;
};

}  // namespace holdfast::test::oracle

#endif
