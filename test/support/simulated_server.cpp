//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/simulated_server.hpp"

#include <utility>

namespace holdfast::test {
namespace {

// An arbitrary date: the server's wall clock when the world begins.
constexpr std::int64_t epoch_us = 1'800'000'000'000'000;

struct nobody final : simulated::peer {
    void on_push(simulated::value const&) override {}
    void on_kill() override {}
};

}  // namespace

simulated_server::simulated_server(virtual_world& w, std::string name, std::shared_ptr<simulated::lua_engine> lua)
    : world_(w), name_(std::move(name)), model_(std::move(lua)), clock_offset_us_(epoch_us)
{
    model_.set_identity(name_);
    model_.watch([this](simulated::execution const& e) {
        for (auto const& f : checks_)
            f({world_.now(), name_, client_, e});
    });
}

std::int64_t simulated_server::clock_us() const
{
    return clock_offset_us_ + world_.now().time_since_epoch() / std::chrono::microseconds(1);
}

void simulated_server::note(std::string_view what)
{
    if (world_.trace().is_on())
        world_.trace().add(world_.now(), name_, what);
}

simulated::value simulated_server::execute(simulated::words text)
{
    nobody caller;
    auto const id = model_.connect(caller);
    client_ = "test";
    auto reply = model_.execute(id, text, clock_us());
    model_.disconnect(id);
    return reply.value_or(simulated::nil());
}

std::optional<simulated::value> simulated_server::execute(
    simulated::connection_id id, std::string_view client, simulated::words text)
{
    client_ = client;
    auto reply = own_commands ? own_commands(text) : std::nullopt;
    if (!reply)
        reply = model_.execute(id, text, clock_us());
    if (world_.trace().is_on())
        note(
            "executes for " + std::string(client) + ": " + to_line(text) + " -> "
            + (reply ? to_string(*reply) : "(push)"));
    limit_wait(id);
    after_command();
    return reply;
}

// A server looks for WAITs whose time is over ten times in a second.
void simulated_server::limit_wait(simulated::connection_id id)
{
    auto const* const wait = model_.blocked(id);
    if (!wait || wait->timeout_ms == 0)
        return;
    auto const tick = world_.chance().between(core::duration::zero(), std::chrono::milliseconds(100));
    world_.at(world_.now() + std::chrono::milliseconds(wait->timeout_ms) + tick, [this, id, n = wait->number] {
        when_running([this, id, n] { model_.end_wait(id, n); });
    });
}

void simulated_server::after_command()
{
    auto& c = world_.chance();
    if (c.happens(faults.delete_key))
        delete_any_key();
    if (c.happens(faults.flush_scripts))
        note("SCRIPT FLUSH"), model_.flush_scripts();
    if (c.happens(faults.step_clock))
        note("clock steps"), step_clock(c.between(faults.step.least, faults.step.most));
    if (c.happens(faults.pause_server))
        pause_for(c.between(faults.pause.least, faults.pause.most));
    if (c.happens(faults.restart_server))
        restart(c.happens(faults.lose_data), c.between(faults.pause.least, faults.pause.most));
}

void simulated_server::delete_any_key()
{
    auto const keys = model_.keys().names();
    if (keys.empty())
        return;
    auto const& victim = keys[world_.chance().below(keys.size())];
    note("loses " + victim);
    model_.keys().erase(victim);
}

void simulated_server::pause()
{
    note("stops");
    paused_ = true;
}

void simulated_server::pause_for(core::duration d)
{
    pause();
    world_.at(world_.now() + d, [this] { resume(); });
}

void simulated_server::resume()
{
    if (!std::exchange(paused_, false))
        return;
    note("goes on");
    for (auto const& f : std::exchange(at_resume_, {}))
        f();
}

void simulated_server::forget_links()
{
    model_.disconnect_all();
    std::exchange(at_resume_, {});
}

void simulated_server::shut_down()
{
    note("dies");
    up_ = false;
    model_.disconnect_all();
}

void simulated_server::restart(bool data_lost, core::duration downtime)
{
    note(data_lost ? "dies, its data lost" : "dies");
    up_ = false;
    model_.restart(data_lost);
    world_.at(world_.now() + downtime, [this] {
        note("is up");
        up_ = true;
    });
}

}  // namespace holdfast::test
