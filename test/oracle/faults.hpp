//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_FAULTS_HPP
#define HOLDFAST_TEST_ORACLE_FAULTS_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracle/model.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// Injects the faults of a program into its world, and reports to the model what each fault excuses.
class fault_injector {
public:
    fault_injector(world& w, model& m) : world_(w), model_(m) {}

    void inject(step const&);
    // Excuses, from the start of the program on, everything that a fault can explain.
    void disturb_everything();
    // Ends all faults. Application data must have survived; it is removed.
    void heal();

private:
    void move_slot(step const&);
    void replace_node(step const&);
    void fail_over(step const&);
    void delete_keys(step const&);
    std::string key_of(lock_design const&, std::int64_t number);
    void plant(step const&);

    world& world_;
    model& model_;
    std::vector<std::pair<unsigned, std::string>> planted_;
    core::instant demoted_ = core::instant::min();  // until then the former master of a failover serves its clients
};

}  // namespace holdfast::test::oracle

#endif
