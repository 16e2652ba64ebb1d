//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_AUDIT_HPP
#define HOLDFAST_TEST_ORACLE_AUDIT_HPP

#include <optional>

#include "oracle/clients.hpp"
#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// Checks for what is left in the clients and on the servers after a program has given up everything.
class audit {
public:
    audit(world& w, model& m, client_set& c) : world_(w), model_(m), clients_(c) {}

    // Returns the first thing that is left, if any.
    std::optional<finding> check();
    // A key that a stopped client held, or that a client was not permitted to release, stays until it expires, and so do
    // the other keys of a lock that has lost one.
    bool may_leave_keys() const
    {
        return model_.has_stopped_client() || model_.had_refusals() || model_.has_lost_a_part();
    }
    void expire_keys();
    // Reports it to the model, and destroys the clients.
    void run();

private:
    using found = std::optional<finding>;

    found check_clients();
    found check_client(client_box&);
    found check_keys(unsigned server);
    found check_channels(unsigned server);

    world& world_;
    model& model_;
    client_set& clients_;
};

}  // namespace holdfast::test::oracle

#endif
