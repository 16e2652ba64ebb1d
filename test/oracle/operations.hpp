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

#include <boost/asio/awaitable.hpp>

#include "oracle/clients.hpp"
#include "oracle/kept.hpp"
#include "oracle/leases.hpp"
#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// Executes the steps that call the library, and tells the model of each launch and each completion.
class operations {
public:
    operations(world& w, model& m, client_set& c, lease_set& l) : world_(w), model_(m), clients_(c), leases_(l) {}

    void execute(step const&);

    // Drops every lease, and every operation that was not launched.
    void give_up_everything();
    unsigned under_way() const noexcept { return under_way_; }
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t grants() const noexcept { return grants_; }

    // Reports lost() operations that should have completed, and all that did not.
    void check_watches();
    void check_completion();

    // From here on completions are not told any more.
    void end();

private:
    // ---- the steps
    void acquire(step const&);
    void scope(step const&);
    void query(step const&);
    void release(step const&);
    void extend(step const&);
    void watch(step const&);
    void downgrade(step const&);
    void cancel(step const&);
    void launch(step const&);
    void forget(step const&);

    // ---- their parts
    std::shared_ptr<pending> make_pending(step const&);
    std::shared_ptr<pending> make_pending_on(step const&, slot const&);
    std::shared_ptr<pending> find(step const&) const;
    void give_up(pending&);
    void on_launch(pending&);
    template <class Make, class Handler>
    void begin(step const&, std::shared_ptr<pending>, Make, Handler);
    void keep_lease(step const&, operation&, error_code, holdfast::lease);
    void keep_read(step const&, operation&, error_code, holdfast::lease);

    // ---- with_lock: scopes.cpp
    struct body_end;
    asio::awaitable<void> scoped(step, std::shared_ptr<pending>);
    template <class Lock>
    asio::awaitable<void> scoped_with(Lock, step, std::shared_ptr<pending>);
    asio::awaitable<void> body(holdfast::lease&, step, std::shared_ptr<pending>, bool& ran);
    asio::awaitable<void> inner_scope(step);

    slot& slot_of(step const& s, field f = field::slot) { return leases_.at(s.get(f)); }

    world& world_;
    model& model_;
    client_set& clients_;
    lease_set& leases_;
    std::map<std::int64_t, std::shared_ptr<pending>> named_;
    std::deque<std::shared_ptr<pending>> all_;
    bool is_ending_ = false;
    unsigned under_way_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t grants_ = 0;
};

}  // namespace holdfast::test::oracle

#endif
