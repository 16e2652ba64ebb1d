//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "engine/port/client_io.hpp"
#include "oracle/audit.hpp"
#include "oracle/clients.hpp"
#include "oracle/faults.hpp"
#include "oracle/leases.hpp"
#include "oracle/operations.hpp"
#include "oracle/simulated_world.hpp"
#include "oracle/time_rules.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

bool is_fault(step const& s)
{
    return s.what >= verb::pause;
}

// One run of one program in its world.
class runner {
public:
    runner(program const& p, std::unique_ptr<world> w, run_options const& o)
        : program_(p), options_(o), world_(std::move(w))
    {}
    ~runner();

    run_result run();

private:
    void prepare();
    void connect();
    void execute(step const&);
    void run_for(core::duration);
    void check_leases();
    bool is_broken();
    void settle();
    void await_idle();
    bool give_up_everything();
    void open_latches();
    bool is_idle();

    program const& program_;
    run_options const options_;
    std::unique_ptr<world> world_;
    std::mutex mutex_;  // of the members below; several threads may execute steps and complete operations
    model model_{options_.clients};
    client_set clients_{*world_, model_, options_.clients};
    lease_set leases_{*world_, model_};
    operations operations_{*world_, model_, clients_, leases_, mutex_};
    fault_injector faults_{*world_, model_};
    audit audit_{*world_, model_, clients_};
};

// Handlers that were never called are destroyed with their world, before the objects to which they refer.
runner::~runner()
{
    operations_.end();
    {
        std::scoped_lock const guard(mutex_);
        clients_.destroy_all();
    }
    world_.reset();
}

run_result runner::run()
{
    try {
        prepare();
        for (auto const& s : program_.steps) {
            execute(s);
            check_leases();
            if (is_broken())
                break;
        }
        if (!is_broken())
            settle();
        if (!is_broken())
            audit_.run();
    } catch (std::exception const& e) {
        std::scoped_lock const guard(mutex_);
        model_.report("no_livelock", e.what());
    }
    std::scoped_lock const guard(mutex_);
    return {model_.first(), operations_.count(), operations_.grants(), world_->trace()};
}

void runner::prepare()
{
    std::unique_lock guard(mutex_);
    // A session to a primary opens with the first lock there, and a moved slot delays commands: a cluster counts as
    // disturbed from the first step on. So do a master and its replicas, which must acknowledge.
    if (options_.is_disturbed || program_.is_cluster || program_.is_watched)
        faults_.disturb_everything();
    if (!options_.connects_first)
        return;
    clients_.make_all_of(program_);
    guard.unlock();
    connect();
}

void runner::connect()
{
    auto const limit = world_->now() + 60s;
    while (!clients_.are_connected()) {
        if (world_->now() > limit)
            throw std::runtime_error("a client does not connect");
        world_->run_for(2ms);
    }
}

void runner::execute(step const& s)
{
    if (world_->is_traced())
        world_->note("program", to_text(s));
    if (s.what == verb::advance)
        return run_for(std::chrono::microseconds(std::clamp<std::int64_t>(s.get(field::us), 0, 600'000'000)));
    if (!is_fault(s)) {
        auto const where = operations_.place_of(s);
        if (adapter_of(s, *world_) == adapter::outside)
            return operations_.execute(s, where);
        return world_->run_inside(process_of(s), where, [this, s, where] { operations_.execute(s, where); });
    }
    std::scoped_lock const guard(mutex_);
    faults_.inject(s);
}

void runner::check_leases()
{
    std::scoped_lock const guard(mutex_);
    leases_.check();
}

bool runner::is_broken()
{
    std::scoped_lock const guard(mutex_);
    return model_.first().has_value();
}

// Observes the leases several times, not only at the end.
void runner::run_for(core::duration d)
{
    auto const end = world_->now() + d;
    auto const part = std::max<core::duration>(d / 4, 1us);
    while (world_->now() < end && !is_broken()) {
        world_->run_for(std::min<core::duration>(part, end - world_->now()));
        check_leases();
    }
    if (d == 0ns)
        world_->run_for(0ns);
    world_->await_steps();
    std::scoped_lock const guard(mutex_);
    if (d > 2ms)
        operations_.check_watches();
}

// Every operation completes within a bounded time. After the last completion nothing needs the mutex.
void runner::settle()
{
    world_->await_steps();
    {
        std::scoped_lock const guard(mutex_);
        faults_.heal();
    }
    await_idle();
    // The key of a stopped client may last for years, and an acquire may wait for its end.
    if (!is_idle() && audit_.may_leave_keys()) {
        audit_.expire_keys();
        await_idle();
    }
    {
        std::scoped_lock const guard(mutex_);
        operations_.check_completion();
    }
    world_->settle([this] { return !audit_.check(); });
}

void runner::await_idle()
{
    auto const limit = world_->now() + 90s;
    while (!is_broken() && !give_up_everything() && world_->now() <= limit)
        run_for(20ms);
}

// Returns true when no operation was under way, which might have been granted another lease.
bool runner::give_up_everything()
{
    bool const was_idle = is_idle();
    open_latches();
    world_->run_inside(0, world_->executor_of(0), [this] { operations_.give_up_everything(); });
    world_->await_steps();
    return was_idle;
}

// Nobody counts them down any more, and a wait may have no limit.
void runner::open_latches()
{
    std::scoped_lock const guard(mutex_);
    for (auto const& d : locks) {
        if (d.kind != kind::latch || !world_->exists(d.server, d.key))
            continue;
        auto const from = world_->now();
        world_->delete_key(d.server, d.key);
        model_.lose_data(d.server, d.key, from, world_->now());
    }
}

bool runner::is_idle()
{
    std::scoped_lock const guard(mutex_);
    return operations_.under_way() == 0;
}

}  // namespace

run_result run(program const& p, std::unique_ptr<world> w, run_options const& o)
{
    return runner(p, std::move(w), o).run();
}

run_result run(program const& p, bool with_trace)
{
    run_options o;
    if (p.is_cluster)
        o.clients.redirects = answer_time;
    if (p.is_watched) {
        o.clients.redirects = engine::longest_question;
        o.clients.acknowledgements = 100ms;
    }
    return run(p, std::make_unique<simulated_world>(p, with_trace), o);
}

}  // namespace holdfast::test::oracle
