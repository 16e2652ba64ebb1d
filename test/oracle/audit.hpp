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

// After a program has given up everything: looks for what is left in its clients and on the servers.
class audit {
public:
    audit(world& w, model& m, client_set& c) : world_(w), model_(m), clients_(c) {}

    // What is left now, if anything.
    std::optional<finding> look();
    // What a client that was stopped held expires some time, and so does what it was not permitted to release.
    bool may_leave_keys() const { return model_.has_stopped_client() || model_.had_refusals(); }
    void expire_keys();
    // Reports it to the model, and destroys the clients.
    void run();

private:
    using found = std::optional<finding>;

    found look_at_clients();
    found look_at_client(client_box&);
    found look_for_keys(unsigned server);
    found look_for_channels(unsigned server);

    world& world_;
    model& model_;
    client_set& clients_;
};

}  // namespace holdfast::test::oracle

#endif
