//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_SIMULATED_WORLD_HPP
#define HOLDFAST_TEST_ORACLE_SIMULATED_WORLD_HPP

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/world.hpp"
#include "support/replicated_server.hpp"
#include "support/simulated_cluster.hpp"
#include "support/simulated_sentinels.hpp"
#include "support/simulation.hpp"

namespace holdfast::test::oracle {

// The simulator: virtual time, one thread, modelled servers. Everything is determined by the seed of the program.
class simulated_world final : public world {
public:
    simulated_world(program const&, bool with_trace);
    ~simulated_world() override;

    asio::any_io_executor executor_of(std::int64_t process) override;
    holdfast::client make_client(std::int64_t process, unsigned server, holdfast::config) override;
    void run_inside(std::int64_t process, asio::any_io_executor, std::function<void()>) override;
    asio::awaitable<void> sleep(std::int64_t process, core::duration) override;
    bool is_frozen(std::int64_t process) override { return process_at(process).is_paused(); }

    core::instant now() const override { return simulation_->now(); }
    void run_for(core::duration) override;
    void settle(std::function<bool()> const&) override;
    bool let_keys_expire() override;
    void finish() override;

    void inject(step const&, core::instant end) override;
    void delete_key(unsigned server, std::string_view key) override;
    bool plant(lock_design const&, std::int64_t how) override;
    void heal() override;

    bool exists(unsigned server, std::string_view key) override;
    std::vector<std::string> keys(unsigned server) override;
    std::string text(unsigned server, std::string_view key) override;
    std::int64_t subscribers(unsigned server, std::string_view channel) override;
    engine::client_engine::census census(holdfast::client&) override;

    bool is_traced() override { return simulation_ && simulation_->world().trace().is_on(); }
    void note(std::string_view source, std::string_view what) override;
    std::string trace() override;

private:
    process& process_at(std::int64_t);
    simulated_server& server(unsigned);
    bool is_cluster(unsigned server) const noexcept { return server == 0 && cluster_.has_value(); }
    bool is_watched(unsigned server) const noexcept { return server == 0 && watched_.has_value(); }
    // The nodes of a cluster, or the server; of a master and its replicas, the master.
    std::vector<simulated_server*> nodes(unsigned server);
    simulated_server& node_of(unsigned server, std::string_view key);
    void replace_node(step const&, core::duration downtime);
    void move_slot(step const&, core::duration);

    std::unique_ptr<simulation> simulation_;
    std::optional<simulated_cluster> cluster_;
    std::optional<replicated_server> watched_;
    std::optional<simulated_sentinels> sentinels_;
};

}  // namespace holdfast::test::oracle

#endif
