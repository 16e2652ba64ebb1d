//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "oracle/audit.hpp"
#include "oracle/clients.hpp"
#include "oracle/faults.hpp"
#include "oracle/leases.hpp"
#include "oracle/operations.hpp"
#include "oracle/simulated_world.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;

// One run of one program in its world.
class runner {
public:
    runner(program const& p, std::unique_ptr<world> w) : program_(p), world_(std::move(w)) {}
    ~runner();

    run_result run();

private:
    void execute(step const&);
    void run_for(core::duration);
    void settle();

    program const& program_;
    client_settings const settings_ = {};
    std::unique_ptr<world> world_;
    model model_{settings_};
    client_set clients_{*world_, model_, settings_};
    lease_set leases_{*world_, model_};
    operations operations_{*world_, model_, clients_, leases_};
    fault_injector faults_{*world_, model_};
};

// Handlers that were never called die with their world, before what they refer to.
runner::~runner()
{
    operations_.end();
    clients_.destroy_all();
    world_.reset();
}

run_result runner::run()
{
    try {
        for (auto const& s : program_.steps) {
            execute(s);
            leases_.look();
            if (model_.first())
                break;
        }
        if (!model_.first())
            settle();
        if (!model_.first())
            audit(*world_, model_, clients_).run();
    } catch (std::exception const& e) {
        model_.report("no_livelock", e.what());
    }
    return {model_.first(), operations_.count(), operations_.grants(), world_->trace()};
}

void runner::execute(step const& s)
{
    if (world_->is_traced())
        world_->note("program", to_text(s));
    if (s.what == verb::advance)
        run_for(std::chrono::microseconds(std::clamp<std::int64_t>(s.get(field::us), 0, 600'000'000)));
    else if (s.what >= verb::pause)
        faults_.inject(s);
    else
        world_->run_inside(process_of(s), [&] { operations_.execute(s); });
}

// Looks at the leases now and then, not only at the end.
void runner::run_for(core::duration d)
{
    auto const end = world_->now() + d;
    auto const part = std::max<core::duration>(d / 4, 1us);
    while (world_->now() < end && !model_.first()) {
        world_->run_for(std::min<core::duration>(part, end - world_->now()));
        leases_.look();
    }
    if (d == 0ns)
        world_->run_for(0ns);
    if (d > 2ms)
        operations_.check_watches();
}

// Everybody is served within a bounded time.
void runner::settle()
{
    faults_.heal();
    auto const limit = world_->now() + 90s;
    while (!model_.first()) {
        world_->run_inside(0, [&] { operations_.give_up_everything(); });
        if (operations_.under_way() == 0 || world_->now() > limit)
            break;
        run_for(20ms);
    }
    operations_.check_completion();
    world_->settle();
}

}  // namespace

run_result run(program const& p, bool with_trace)
{
    return runner(p, std::make_unique<simulated_world>(p, with_trace)).run();
}

}  // namespace holdfast::test::oracle
