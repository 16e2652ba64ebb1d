//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_CLIENTS_HPP
#define HOLDFAST_TEST_ORACLE_CLIENTS_HPP

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <holdfast.hpp>

#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

struct client_box {
    std::unique_ptr<holdfast::client> client;
    std::map<std::int64_t, holdfast::owner> owners;
    bool was_destroyed = false;
    bool was_stopped = false;
};

// Some are kept as what they are, because their acquires have other options. A candidate is the lock of an election.
using lock_handle = std::variant<any_lock, fair_lock, semaphore, detail::candidate>;

// The clients of a program, one for each process and server, made at first use; their owners, and handles of locks.
class client_set {
public:
    client_set(world& w, model& m, client_settings const& s) : world_(w), model_(m), settings_(s) {}

    // A handle of the step's lock; none when a client of the lock was destroyed, and if it is a latch.
    std::optional<lock_handle> handle_of(step const&);
    std::optional<latch> latch_of(step const&);
    // Calls f with a handle that is destroyed after it.
    template <class Function>
    void with_lock_of(step const& s, Function f)
    {
        if (auto const handle = handle_of(s))
            std::visit(f, *handle);
    }
    // Makes the clients that the program will need.
    void make_all_of(program const&);
    // Whether all of them can send commands; to be called on the thread that made them.
    bool are_connected() const noexcept { return connected_ == boxes_.size(); }

    // ---- their ends
    void stop(step const&);
    void destroy(step const&);
    void shut_down(step const&);
    void destroy_all();

    template <class Function>
    void for_each(Function f)
    {
        for (auto& [at, box] : boxes_)
            f(box);
    }

private:
    bool has_clients_of(step const&, lock_design const&);
    any_lock make_lock(step const&, lock_design const&);
    fair_lock make_fair(step const&, lock_design const&);
    semaphore make_semaphore(step const&, lock_design const&);
    detail::candidate make_candidate(step const&, lock_design const&);
    holdfast::client* client_of(step const&, unsigned server);
    holdfast::owner const& owner_of(step const&, unsigned server);
    client_box* begin_stop(step const&);

    world& world_;
    model& model_;
    client_settings const settings_;
    std::map<std::pair<std::int64_t, unsigned>, client_box> boxes_;
    std::atomic<std::size_t> connected_ = 0;
};

}  // namespace holdfast::test::oracle

#endif
