//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/runner.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <holdfast.hpp>

#include "client_access.hpp"
#include "oracle/kept.hpp"
#include "oracle/time_rules.hpp"
#include "support/simulation.hpp"

namespace holdfast::test::oracle {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t slot_count = 8;
constexpr std::array<std::string_view, 10> deniable{
    "set", "pexpire", "time", "publish", "evalsha", "hset", "exists", "type", "pttl", "info"};

struct client_box {
    std::unique_ptr<holdfast::client> client;
    std::map<std::int64_t, holdfast::owner> owners;
    bool was_destroyed = false;
    bool was_stopped = false;
    unsigned acquired = 0, busy = 0;  // as the program was told
};

struct slot {
    holdfast::lease lease;
    int hold = 0;
};

std::optional<milliseconds> option(step const& s, field f)
{
    if (!s.has(f))
        return std::nullopt;
    return s.get(f) == endless ? milliseconds::max() : milliseconds(s.get(f));
}

lease_view view_of(holdfast::lease const& l)
{
    lease_view v;
    auto const before = steady_clock::now();
    auto const until = l.valid_until();
    auto const after = steady_clock::now();
    v.state = l.state();
    v.left_least = v.left_most = -longest;
    if (until != steady_clock::time_point::min()) {
        v.left_least = until - after;
        v.left_most = until - before;
    }
    v.token = l.fencing_token();
    v.hold_count = l.hold_count();
    v.name = l.name();
    return v;
}

template <class Options>
Options acquire_options_of(step const& s)
{
    Options o;
    o.lease = option(s, field::lease);
    o.renew = s.get(field::renew) != 0;
    o.max_hold = option(s, field::max_hold);
    if constexpr (requires { o.priority; })
        o.priority = int(s.get(field::priority, 5));
    if constexpr (requires { o.wait; })
        o.wait = option(s, field::wait);
    return o;
}

class runner {
public:
    runner(program const& p, bool with_trace)
        : program_(p),
          simulation_(std::make_unique<simulation>(simulation_options{
              .world = {.seed = p.seed, .trace = with_trace, .max_steps = 400'000 + p.steps.size() * 20'000}})),
          model_(settings_)
    {}
    ~runner();

    run_result run();

private:
    // ---- the steps
    void execute(step const&);
    void execute_inside(step const&);
    void fault(step const&);
    void acquire(step const&);
    void scope(step const&);
    void query(step const&);
    void release(step const&);
    void extend(step const&);
    void watch(step const&);
    void downgrade(step const&);
    void drop(slot&);
    void move(slot& from, slot& to);
    void stop(step const&);
    void shut_down(step const&);
    void plant(step const&);

    // ---- their parts
    template <class Make, class Handler>
    void begin(step const&, std::shared_ptr<pending>, Make, Handler);
    template <class Function>
    void with_lock_of(step const&, Function);
    std::shared_ptr<pending> make_pending(step const&);
    void on_launch(pending&);
    void keep_lease(step const&, operation&, error_code, holdfast::lease);
    int give_to_slot(slot&, holdfast::lease, int hold);
    asio::awaitable<void> scoped(step s, std::shared_ptr<pending>);
    struct body_end {
        body_end(runner& r, int h) : self(r), hold(h) {}
        ~body_end()
        {
            self.scoped_.erase(hold);
            if (!self.is_ending_)
                self.model_.body_ended(hold, self.now());
        }
        runner& self;
        int const hold;
    };
    template <class Lock>
    asio::awaitable<void> scoped_with(Lock, step s, std::shared_ptr<pending>);
    asio::awaitable<void> body(holdfast::lease&, step s, std::shared_ptr<pending>, bool& ran);

    // ---- the world
    process& process_of(step const& s) { return simulation_->at("P" + std::to_string(process_index(s))); }
    std::int64_t process_index(step const& s) const { return s.get(field::process) % std::int64_t(process_count); }
    unsigned server_index(step const& s) const { return unsigned(s.get(field::server)) % server_count; }
    simulated_server& server(unsigned i) { return simulation_->server("S" + std::to_string(i)); }
    slot& slot_of(step const& s, field f = field::slot) { return slots_[std::size_t(s.get(f)) % slot_count]; }
    holdfast::client* client_of(step const&, unsigned server);
    bool has_clients_of(step const&, lock_design const&);
    owner const& owner_of(step const&, unsigned server);
    any_lock make_lock(step const&, lock_design const&);
    fair_lock make_fair(step const&, lock_design const&);
    core::instant now() const { return simulation_->now(); }
    core::instant end_of(step const& s) const
    {
        return s.get(field::us) > 0 ? now() + std::chrono::microseconds(s.get(field::us)) : core::never;
    }
    template <class Function>
    void inside(process&, Function);
    void look();
    void run_for(core::duration);

    // ---- the end
    void heal();
    void give_up_everything();
    void settle();
    void audit();
    void check_keys();
    void check_channels();
    void check_client(client_box&);

    program const& program_;
    client_settings const settings_;
    std::unique_ptr<simulation> simulation_;
    model model_;
    std::map<std::pair<std::int64_t, unsigned>, client_box> clients_;
    std::array<slot, slot_count> slots_;
    std::map<int, holdfast::lease const*> scoped_;  // leases of bodies
    std::map<std::int64_t, std::shared_ptr<pending>> named_;
    std::deque<std::shared_ptr<pending>> all_;
    std::vector<std::pair<unsigned, std::string>> planted_;
    bool is_ending_ = false;
    bool was_cancelled_ = false;
    unsigned under_way_ = 0;
    run_result result_;
};

// Handlers that were never called die with their world, before what they refer to.
runner::~runner()
{
    is_ending_ = true;
    for (auto& p : all_)
        p->kept.reset();
    named_.clear();
    all_.clear();
    clients_.clear();
    simulation_.reset();
}

run_result runner::run()
{
    try {
        for (auto const& s : program_.steps) {
            execute(s);
            look();
            if (model_.first())
                break;
        }
        if (!model_.first())
            settle();
        if (!model_.first())
            audit();
    } catch (std::exception const& e) {
        model_.report("no_livelock", e.what());
    }
    is_ending_ = true;
    result_.broken = model_.first();
    result_.trace = simulation_->world().trace().text();
    return std::move(result_);
}

// As the code of one process: what is ready may run before it.
template <class Function>
void runner::inside(process& p, Function f)
{
    if (p.is_paused())
        return;
    bool done = false;
    asio::post(p.get_executor(), [&] {
        f();
        done = true;
    });
    simulation_->world().run_until([&] { return done; });
}

void runner::execute(step const& s)
{
    if (simulation_->world().trace().is_on())
        simulation_->world().trace().add(now(), "program", to_text(s));
    if (s.what == verb::advance)
        run_for(std::chrono::microseconds(std::clamp<std::int64_t>(s.get(field::us), 0, 600'000'000)));
    else if (s.what >= verb::pause)
        fault(s);
    else
        inside(process_of(s), [&] { execute_inside(s); });
}

void runner::execute_inside(step const& s)
{
    ++result_.operations;
    auto const named = named_.find(s.get(field::op, -1));
    switch (s.what) {
        case verb::acquire:
        case verb::try_acquire: return acquire(s);
        case verb::with_lock: return scope(s);
        case verb::is_locked:
        case verb::holders:
        case verb::force_release: return query(s);
        case verb::release: return release(s);
        case verb::extend: return extend(s);
        case verb::lost: return watch(s);
        case verb::downgrade: return downgrade(s);
        case verb::drop: return drop(slot_of(s));
        case verb::move: return move(slot_of(s), slot_of(s, field::to));
        case verb::cancel:
            if (named == named_.end() || named->second->kept)
                return;
            was_cancelled_ = true;
            if (named->second->in_model)
                model_.cancel(*named->second->in_model, now());
            return named->second->signal.emit(std::array{
                asio::cancellation_type::total,
                asio::cancellation_type::partial,
                asio::cancellation_type::terminal}[std::size_t(s.get(field::how)) % 3]);
        case verb::launch:
            if (named != named_.end() && named->second->kept) {
                auto const p = named->second;
                on_launch(*p);
                std::exchange(p->kept, nullptr)->launch();
            }
            return;
        case verb::forget:
            if (named != named_.end() && named->second->kept) {
                if (named->second->moves_lease)
                    model_.gave_up(named->second->of_hold, now());
                named->second->kept.reset();
            }
            return;
        case verb::stop:
        case verb::destroy: return stop(s);
        case verb::shutdown: return shut_down(s);
        default: return;
    }
}

void runner::fault(step const& s)
{
    auto const i = server_index(s);
    auto& to = server(i);
    auto const end = end_of(s);
    auto const tail = end == core::never ? end : end + recovery;
    auto& world = simulation_->world();
    auto const heal_then = [&](std::function<void()> f) {
        if (end != core::never)
            world.at(end, std::move(f));
    };
    switch (s.what) {
        case verb::pause:
            to.pause();
            heal_then([&to] { to.resume(); });
            return model_.disturb(i, now(), tail, true);
        case verb::out_of_memory:
            to.model().set_condition(simulated::condition::out_of_memory);
            heal_then([&to] { to.model().set_condition(simulated::condition::normal); });
            model_.refuse(now());
            return model_.disturb(i, now(), tail);
        case verb::deny:
            to.model().deny_command(deniable[std::size_t(s.get(field::how)) % deniable.size()]);
            heal_then([&to] { to.model().allow_all(); });
            model_.deny(now());
            return model_.disturb(i, now(), tail);
        case verb::lose_replies:
            to.faults.lose_reply = 1;
            heal_then([&to] { to.faults.lose_reply = 0; });
            return model_.disturb(i, now(), tail);
        case verb::disconnect: to.model().disconnect_all(); return model_.disturb(i, now(), now() + recovery);
        case verb::restart:
            to.restart(
                s.get(field::how) == 1,
                std::chrono::microseconds(std::clamp<std::int64_t>(s.get(field::us), 0, 5'000'000)));
            if (s.get(field::how) == 1)
                model_.lose_data(i, "", now(), now());
            return model_.disturb(i, now(), now() + std::chrono::microseconds(s.get(field::us)) + recovery);
        case verb::flush_scripts: return to.model().flush_scripts();
        case verb::delete_key:
            for_each_part(design_of(s.get(field::lock)), [&](lock_design const& part) {
                server(part.server).model().keys().erase(std::string(part.key));
                model_.lose_data(part.server, part.key, now(), now());
                std::erase(planted_, std::pair(part.server, std::string(part.key)));
            });
            return;
        case verb::foreign_key: return plant(s);
        case verb::freeze:
            model_.disturb_process(process_index(s), now(), (end == core::never ? now() : end) + recovery);
            if (end != core::never && !process_of(s).is_paused())
                process_of(s).pause_for(end - now());
            return;
        default: return;
    }
}

// What an application may have under the name of a lock: nothing of it looks like one.
void runner::plant(step const& s)
{
    auto const& d = design_of(s.get(field::lock));
    if (is_composite(d))
        return;
    auto& to = server(d.server);
    auto const key = std::string(d.key);
    auto const exists = [&] { return std::ranges::count(to.model().keys().names(), key) != 0; };
    if (exists())
        return;
    switch (s.get(field::how) % 3) {
        case 0: to.execute({"SET", key, "application data"}); break;
        case 1: to.execute({"RPUSH", key, "application data"}); break;
        default: to.execute({"HSET", key, "user", "42"}); break;
    }
    if (!exists())
        return;  // it is refused, too
    planted_.emplace_back(d.server, key);
    model_.plant(d, now());
}

// ---- clients and locks

holdfast::client* runner::client_of(step const& s, unsigned at)
{
    auto& box = clients_[{process_index(s), at}];
    if (box.was_destroyed)
        return nullptr;
    if (box.client)
        return box.client.get();
    holdfast::config c;
    c.lease = std::chrono::duration_cast<milliseconds>(settings_.lease);
    c.command_timeout = std::chrono::duration_cast<milliseconds>(settings_.command_timeout);
    c.poll_interval = std::chrono::duration_cast<milliseconds>(settings_.poll_interval);
    auto& p = process_of(s);
    auto const name = "S" + std::to_string(at);
    c.log = [this, &p](log_level, std::string_view line) {
        if (!is_ending_ && simulation_->world().trace().is_on())
            simulation_->world().trace().add(now(), p.name(), line);
    };
    auto const session = [this, &p, name](engine::strand st, holdfast::config const& config, engine::log l) {
        return simulation_->make_session(p, std::move(st), config, std::move(l), name);
    };
    box.client = std::make_unique<holdfast::client>(detail::client_access::make(p.get_executor(), c, session));
    box.client->run(asio::detached);
    model_.disturb_process(process_index(s), now(), now() + 20ms);  // it connects
    return box.client.get();
}

bool runner::has_clients_of(step const& s, lock_design const& d)
{
    bool all = true;
    for_each_part(d, [&](lock_design const& part) { all = client_of(s, part.server) && all; });
    return all;
}

owner const& runner::owner_of(step const& s, unsigned at)
{
    auto& box = clients_[{process_index(s), at}];
    auto const index = s.get(field::owner);
    auto found = box.owners.find(index);
    if (found == box.owners.end())
        found = box.owners
                    .emplace(
                        index,
                        index == process_owner ? box.client->process_owner()
                                               : box.client->make_owner(index == 1 ? "one" : ""))
                    .first;
    return found->second;
}

fair_lock runner::make_fair(step const& s, lock_design const& d)
{
    fair_options const o{.fencing = d.fencing};
    auto& c = *client_of(s, d.server);
    return s.has(field::owner) ? fair_lock(c, d.key, owner_of(s, d.server), o) : fair_lock(c, d.key, o);
}

any_lock runner::make_lock(step const& s, lock_design const& d)
{
    auto const members = [&] {
        std::vector<any_lock> all;
        for (auto const m : d.members)
            all.push_back(make_lock(s, locks[m]));
        return all;
    };
    auto const client = [&]() -> holdfast::client& { return *client_of(s, d.server); };
    rw_options const rw{
        .fencing = d.fencing,
        .prefer = static_cast<preference>(d.prefer),
        .peer_watchdog = milliseconds(d.peer_watchdog)};
    switch (d.kind) {
        case kind::mutex: return mutex(client(), d.key, {.fencing = d.fencing});
        case kind::reentrant:
            return reentrant_lock(client(), d.key, (client(), owner_of(s, d.server)), {.fencing = d.fencing});
        case kind::fair: return make_fair(s, d);
        case kind::read:
        case kind::write: {
            auto& c = client();
            auto const both = s.has(field::owner) ? read_write_lock(c, d.key, owner_of(s, d.server), rw)
                                                  : read_write_lock(c, d.key, rw);
            return d.kind == kind::read ? any_lock(both.read()) : any_lock(both.write());
        }
        case kind::multi: return multi_lock(members());
        case kind::red: return red_lock(members(), {.fencing = d.fencing, .trust_new_nodes = true});
    }
    throw std::logic_error("no such kind");
}

// Calls f with a handle that dies behind it. Only a fair lock's options differ.
template <class Function>
void runner::with_lock_of(step const& s, Function f)
{
    auto const& d = design_of(s.get(field::lock));
    if (!has_clients_of(s, d))
        return;
    if (d.kind == kind::fair)
        f(make_fair(s, d));
    else
        f(make_lock(s, d));
}

// ---- operations

std::shared_ptr<pending> runner::make_pending(step const& s)
{
    auto p = std::make_shared<pending>();
    p->what = s;
    p->what.set(field::process, process_index(s));
    all_.push_back(p);
    if (s.has(field::op))
        named_[s.get(field::op)] = p;
    return p;
}

void runner::on_launch(pending& p)
{
    p.in_model = &model_.launch(p.what, now());
    p.in_model->was_kept = p.what.get(field::keep) != 0;
    if (p.what.what == verb::release || p.what.what == verb::extend || p.what.what == verb::lost
        || p.what.what == verb::downgrade)
        model_.launch_on_lease(*p.in_model, p.of_hold, p.state);
    if (p.moves_lease)
        model_.gave_up(p.of_hold, now());
    ++under_way_;
}

// `make` calls the library with a token; `handler` is told of the end.
template <class Make, class Handler>
void runner::begin(step const& s, std::shared_ptr<pending> p, Make make, Handler handler)
{
    auto end = asio::bind_cancellation_slot(
        p->signal.slot(),
        asio::bind_executor(process_of(s).get_executor(), [this, p, handler](auto... results) mutable {
            --under_way_;
            if (!is_ending_)
                handler(*p->in_model, std::move(results)...);
        }));
    if (s.get(field::keep) == 0) {
        on_launch(*p);
        return make(std::move(end));
    }
    auto deferred = make(asio::deferred);
    p->kept = std::make_unique<kept_deferred<decltype(deferred), decltype(end)>>(std::move(deferred), std::move(end));
}

void runner::acquire(step const& s)
{
    with_lock_of(s, [&]<class Lock>(Lock const& lock) {
        auto const end = [this, s](
                             operation& o, error_code ec, holdfast::lease l) { keep_lease(s, o, ec, std::move(l)); };
        if (s.what == verb::acquire)
            begin(
                s,
                make_pending(s),
                [&](auto token) {
                    return lock.acquire(acquire_options_of<typename Lock::acquire_options>(s), std::move(token));
                },
                end);
        else
            begin(
                s,
                make_pending(s),
                [&](auto token) {
                    return lock.try_acquire(acquire_options_of<typename Lock::try_options>(s), std::move(token));
                },
                end);
    });
}

void runner::keep_lease(step const& s, operation& o, error_code ec, holdfast::lease l)
{
    look();
    auto const hold = model_.acquired(o, now(), ec, view_of(l));
    result_.grants += hold != 0;
    if (hold == 0)
        return;
    give_to_slot(slot_of(s), std::move(l), hold);
    if (under_way_ > 0 && simulation_->world().trace().is_on())
        simulation_->world().trace().add(now(), "program", "got " + to_text(s));
}

// Move-assignment releases what was there.
int runner::give_to_slot(slot& to, holdfast::lease l, int hold)
{
    model_.gave_up(to.hold, now());
    to.hold = hold;
    to.lease = std::move(l);
    return hold;
}

void runner::query(step const& s)
{
    with_lock_of(s, [&](auto const& lock) {
        auto const& d = design_of(s.get(field::lock));
        auto const p = make_pending(s);
        auto const tell = [this](operation& o, error_code ec, bool answer) { model_.queried(o, now(), ec, answer); };
        if (s.what == verb::is_locked)
            begin(
                s, p, [&](auto token) { return lock.is_locked(std::move(token)); }, tell);
        else if (s.what == verb::holders)
            begin(
                s,
                p,
                [&](auto token) { return lock.holders(std::move(token)); },
                [this](operation& o, error_code ec, std::vector<holder> const&) { model_.queried(o, now(), ec, {}); });
        else {
            for_each_part(
                d, [&](lock_design const& part) { model_.lose_data(part.server, part.key, now(), now() + 10min); });
            begin(
                s, p, [&](auto token) { return lock.force_release(std::move(token)); }, tell);
        }
    });
}

void runner::release(step const& s)
{
    auto& from = slot_of(s);
    auto const p = make_pending(s);
    p->of_hold = from.hold;
    p->state = from.lease.state();
    p->moves_lease = true;
    if (from.hold != 0 && s.get(field::keep) != 0)
        model_.put_away(from.hold);
    from.hold = 0;
    begin(
        s,
        p,
        [&](auto token) { return from.lease.release(std::move(token)); },
        [this](operation& o, error_code ec) { model_.released(o, now(), ec); });
}

void runner::extend(step const& s)
{
    auto& of = slot_of(s);
    auto const p = make_pending(s);
    p->of_hold = of.hold;
    p->state = of.lease.state();
    auto const by = option(s, field::by).value_or(0ms);
    begin(
        s,
        p,
        [&](auto token) { return of.lease.extend(by, std::move(token)); },
        [this](operation& o, error_code ec) {
            auto const at = std::ranges::find(slots_, o.of_hold, &slot::hold);
            bool const is_there = o.of_hold != 0 && at != slots_.end();
            auto const v = is_there ? view_of(at->lease) : lease_view();
            model_.extended(o, now(), ec, is_there ? &v : nullptr);
        });
}

void runner::watch(step const& s)
{
    auto& of = slot_of(s);
    auto const p = make_pending(s);
    p->of_hold = of.hold;
    p->state = of.lease.state();
    begin(
        s,
        p,
        [&](auto token) { return of.lease.lost(std::move(token)); },
        [this](operation& o, error_code ec, loss why) {
            auto const at = std::ranges::find(slots_, o.of_hold, &slot::hold);
            bool const is_there = o.of_hold != 0 && at != slots_.end();
            auto const v = is_there ? view_of(at->lease) : lease_view();
            model_.ended_watch(o, now(), ec, why, is_there ? &v : nullptr);
        });
}

void runner::downgrade(step const& s)
{
    auto& of = slot_of(s);
    auto const p = make_pending(s);
    p->of_hold = of.hold;
    p->state = of.lease.state();
    begin(
        s,
        p,
        [&](auto token) { return of.lease.downgrade(std::move(token)); },
        [this, s](operation& o, error_code ec, holdfast::lease l) {
            look();
            auto const before = o.of_hold;
            auto const hold = model_.downgraded(o, now(), ec, view_of(l));
            if (hold == 0)
                return;
            for (auto& each : slots_)
                if (each.hold == before)
                    each.hold = 0;
            give_to_slot(slot_of(s, field::to), std::move(l), hold);
        });
}

void runner::drop(slot& of)
{
    model_.gave_up(std::exchange(of.hold, 0), now());
    of.lease = holdfast::lease();
}

void runner::move(slot& from, slot& to)
{
    if (&from != &to)
        give_to_slot(to, std::move(from.lease), std::exchange(from.hold, 0));
}

// ---- with_lock

void runner::scope(step const& s)
{
    if (!has_clients_of(s, design_of(s.get(field::lock))))
        return;
    auto const p = make_pending(s);
    on_launch(*p);
    asio::co_spawn(
        process_of(s).get_executor(),
        scoped(s, p),
        asio::bind_cancellation_slot(p->signal.slot(), [this](std::exception_ptr e) {
            --under_way_;
            if (e && !is_ending_)
                std::rethrow_exception(e);
        }));
}

asio::awaitable<void> runner::scoped(step s, std::shared_ptr<pending> p)
{
    auto const& d = design_of(s.get(field::lock));
    // Named: GCC 12 destroys temporaries in a co_await expression twice.
    if (d.kind == kind::fair) {
        auto const lock = make_fair(s, d);
        co_await scoped_with(lock, s, p);
    } else {
        auto const lock = make_lock(s, d);
        co_await scoped_with(lock, s, p);
    }
}

template <class Lock>
asio::awaitable<void> runner::scoped_with(Lock lock, step s, std::shared_ptr<pending> p)
{
    bool ran = false;
    auto guarded = [&](holdfast::lease& l) -> asio::awaitable<void> { return body(l, s, p, ran); };
    auto const options = acquire_options_of<typename Lock::try_options>(s);
    error_code ec;
    try {
        co_await with_lock(lock, options, guarded);
    } catch (boost::system::system_error const& e) {
        ec = e.code();
    }
    if (!is_ending_)
        model_.with_lock_ended(*p->in_model, now(), ec, ran);
}

asio::awaitable<void> runner::body(holdfast::lease& l, step s, std::shared_ptr<pending> p, bool& ran)
{
    ran = true;
    look();
    auto const hold = model_.body_began(*p->in_model, now(), view_of(l));
    ++result_.grants;
    scoped_[hold] = &l;
    body_end const at_end(*this, hold);
    if (s.has(field::inner)) {
        auto inner = step(verb::with_lock);
        inner.set(field::process, s.get(field::process)).set(field::lock, s.get(field::inner)).set(field::us, 1'000);
        inner.set(field::wait, 0);
        for (auto const f : {field::lease, field::renew})
            inner.set(f, s.get(f, absent));
        if (s.has(field::owner))
            inner.set(field::owner, s.get(field::owner));
        if (has_clients_of(inner, design_of(inner.get(field::lock)))) {
            auto const q = make_pending(inner);
            on_launch(*q);
            model_.cancel(*q->in_model, now());  // the end of the outer one cancels it at any time
            co_await scoped(inner, q);
            --under_way_;
        }
    }
    co_await process_of(s).sleep(std::chrono::microseconds(s.get(field::us, 1'000)), asio::use_awaitable);
}

// ---- the end of clients

void runner::stop(step const& s)
{
    auto const i = server_index(s);
    auto const at = clients_.find({process_index(s), i});
    if (at == clients_.end() || !at->second.client)
        return;
    model_.stop(process_index(s), i, now());
    at->second.was_stopped = true;
    if (s.what == verb::stop)
        return at->second.client->stop();
    at->second.was_destroyed = true;
    at->second.owners.clear();
    at->second.client.reset();
}

void runner::shut_down(step const& s)
{
    auto const i = server_index(s);
    auto const at = clients_.find({process_index(s), i});
    if (at == clients_.end() || !at->second.client)
        return;
    model_.stop(process_index(s), i, now());
    at->second.was_stopped = true;
    at->second.client->shutdown({.grace = milliseconds(s.get(field::us) / 1'000)}, asio::detached);
}

// ---- looking

void runner::look()
{
    for (auto const& s : slots_)
        if (s.hold != 0)
            model_.look(s.hold, now(), view_of(s.lease));
    for (auto const& [hold, l] : scoped_)
        model_.look(hold, now(), view_of(*l));
}

// Looks at the leases now and then, not only at the end.
void runner::run_for(core::duration d)
{
    auto const end = now() + d;
    auto const part = std::max<core::duration>(d / 4, 1us);
    while (now() < end && !model_.first()) {
        simulation_->world().run_for(std::min<core::duration>(part, end - now()));
        look();
    }
    if (d == 0ns)
        simulation_->world().run_for(0ns);
    for (auto const& p : all_)
        if (p->in_model && p->what.what == verb::lost && d > 2ms && !process_of(p->what).is_paused()
            && model_.is_watch_overdue(*p->in_model, now() - 2ms))
            model_.report("lost_is_told", to_text(p->what) + ": its lease was lost, and it does not complete");
}

// ---- the end

void runner::heal()
{
    model_.heal(now());
    for (unsigned i = 0; i < server_count; ++i) {
        auto& s = server(i);
        s.faults = {};
        s.resume();
        s.model().set_condition(simulated::condition::normal);
        s.model().allow_all();
    }
    for (auto const& [at, key] : planted_) {
        if (server(at).execute({"EXISTS", key}).integer == 0 && !model_.has_lost_data())
            model_.report("application_data_survives", "the application's key " + key + " was deleted");
        server(at).model().keys().erase(key);
    }
    for (unsigned i = 0; i < process_count; ++i)
        simulation_->at("P" + std::to_string(i)).resume();
}

void runner::give_up_everything()
{
    for (auto& p : all_)
        if (p->kept) {
            if (p->moves_lease)
                model_.gave_up(p->of_hold, now());
            p->kept.reset();
        }
    for (auto& s : slots_)
        drop(s);
}

// Everybody is served within a bounded time.
void runner::settle()
{
    heal();
    auto const limit = now() + 90s;
    while (!model_.first()) {
        for (unsigned i = 0; i < process_count; ++i)
            if (i == 0)
                inside(simulation_->at("P0"), [&] { give_up_everything(); });
        if (under_way_ == 0 || now() > limit)
            break;
        run_for(under_way_ > 0 ? core::duration(20ms) : core::duration(500ms));
    }
    for (auto const& p : all_)
        if (p->in_model && !p->in_model->done)
            model_.report("completes", to_text(p->what) + ": does not complete");
    run_for(12s);  // a server comes back, subscriptions linger, and releases go on
}

void runner::audit()
{
    for (auto& [at, box] : clients_)
        check_client(box);
    // What a client that was stopped held expires some time, and so does what it was not permitted to release.
    bool const may_be_left = model_.has_stopped_client() || model_.had_refusals();
    if (may_be_left)
        simulation_->world().run_for(std::chrono::hours(24 * 800));
    check_keys();
    check_channels();
    for (auto& [at, box] : clients_)
        box.client.reset();
    simulation_->world().run();
}

void runner::check_client(client_box& box)
{
    if (!box.client || box.was_stopped)
        return;
    auto const stats = box.client->stats();
    if (stats.held + stats.waiting > 0)
        model_.report(
            "gauges_return_to_zero",
            std::to_string(stats.held) + " held, " + std::to_string(stats.waiting) + " waiting");
    auto const left = detail::client_access::state_of(*box.client).count();
    if (left != engine::context::census{})
        model_.report(
            "nothing_is_left_in_the_client",
            std::to_string(left.arbiters) + " arbiters, " + std::to_string(left.deadlines) + " deadlines, "
                + std::to_string(left.channels) + " channels, " + std::to_string(left.releases) + " releases");
}

// Only the counters of fencing tokens stay.
void runner::check_keys()
{
    for (unsigned i = 0; i < server_count; ++i) {
        server(i).execute({"PING"});  // time passes there, too
        for (auto const& key : server(i).model().keys().names())
            if (!key.starts_with("holdfast_fence:") && !key.starts_with("redisson_lock_token:")
                && server(i).execute({"EXISTS", key}).integer != 0)
                model_.report("nothing_is_left_on_the_server", "key " + key);
    }
}

void runner::check_channels()
{
    for (unsigned i = 0; i < server_count; ++i)
        for (auto const& d : locks)
            for (auto const* const channel : {"redisson_lock__channel:{", "redisson_rwlock:{"})
                if (d.server == i && !model_.has_stopped_client()
                    && server(i).model().publish(channel + std::string(d.key) + "}", "0") != 0)
                    model_.report("no_subscription_is_left", "of " + std::string(d.key));
}

}  // namespace

run_result run(program const& p, bool with_trace)
{
    return runner(p, with_trace).run();
}

}  // namespace holdfast::test::oracle
