//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_SIMULATED_SERVER_HPP
#define HOLDFAST_TEST_SUPPORT_SIMULATED_SERVER_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis_model.hpp"
#include "support/fault_plan.hpp"
#include "support/virtual_world.hpp"

namespace holdfast::test {

// A command that the server has executed, with what checks may need.
struct executed {
    core::instant when;
    std::string_view server;
    std::string_view client;  // the process' name and the number of its connection: "A#3"
    simulated::execution const& what;
};

// One server of a simulation, and its faults. It does not belong to any process.
class simulated_server {
public:
    simulated_server(virtual_world&, std::string name, std::shared_ptr<simulated::lua_engine>);

    std::string const& name() const noexcept { return name_; }
    virtual_world& world() const noexcept { return world_; }

    // May be changed at any time.
    fault_plan faults = {};
    network_options network = {};

    // The model: conditions, refusals, keys ...
    simulated::redis_model& model() noexcept { return model_; }

    // Answers the commands that the model does not know: those of a sentinel, for example. Nothing: the model does.
    std::function<std::optional<simulated::value>(simulated::words)> own_commands = {};

    // Executes a command without a connection, for the test itself.
    simulated::value execute(std::initializer_list<std::string_view> text)
    {
        return execute(simulated::words(text.begin(), text.size()));
    }
    simulated::value execute(simulated::words);

    // As SIGSTOP: connections and bytes are accepted, but nothing is executed.
    void pause();
    void pause_for(core::duration);
    void resume();

    // As SIGKILL and a start after `downtime`.
    void restart(bool data_lost, core::duration downtime = {});
    // As SIGKILL.
    void shut_down();
    void step_clock(core::duration by) { clock_offset_us_ += by / std::chrono::microseconds(1); }

    // `f` is called for each command executed, those of scripts included. It checks invariants: an exception ends the
    // simulation.
    void check(std::function<void(executed const&)> f) { checks_.push_back(std::move(f)); }

    // Called when the world ends: forgets the server's links, including those that wait for it to resume.
    void forget_links();

    // For links.
    bool is_up() const noexcept { return up_; }
    bool is_paused() const noexcept { return paused_; }
    void when_resumed(std::function<void()> f) { at_resume_.push_back(std::move(f)); }
    // Now, or when it resumes.
    void when_running(std::function<void()> f) { is_paused() ? when_resumed(std::move(f)) : f(); }
    std::optional<simulated::value> execute(simulated::connection_id, std::string_view client, simulated::words);

private:
    std::int64_t clock_us() const;
    void limit_wait(simulated::connection_id);
    void after_command();
    void delete_any_key();
    void note(std::string_view what);

    virtual_world& world_;
    std::string const name_;
    simulated::redis_model model_;
    std::int64_t clock_offset_us_;
    bool up_ = true;
    bool paused_ = false;
    std::vector<std::function<void()>> at_resume_;
    std::vector<std::function<void(executed const&)>> checks_;
    std::string_view client_;  // the client whose command is being executed
};

}  // namespace holdfast::test

#endif
