//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/damaged_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::milliseconds;

constexpr milliseconds patience = 40s;  // longer than anything that a fault leaves may be in the way
constexpr milliseconds moment = 100ms;

std::string_view name_of(lock_state s)
{
    constexpr std::array names{"free", "held", "waited for", "queued"};
    return names.at(static_cast<std::size_t>(s));
}

std::string_view name_of(key_fault f)
{
    constexpr std::array names{"deleted", "expired early", "of another type", "nonsense", "without a time to live"};
    return names.at(static_cast<std::size_t>(f));
}

unsigned waiters_in(lock_state s)
{
    return s == lock_state::queued ? 3 : s == lock_state::waited_for ? 1 : 0;
}

// Data that no lock has written, which an operator deletes.
bool is_foreign(key_fault f)
{
    return f == key_fault::other_type || f == key_fault::nonsense;
}

constexpr auto* nonsense = "1e3";
constexpr auto* other_text = "x";

// Of locks that one client acquires on one server.
template <class Make>
key_row::maker of(Make make)
{
    return [make](key_world& w, unsigned process, std::string const& lock) {
        return any_lock(make(w.client_of(process), lock));
    };
}

std::string braced(std::string const& lock)
{
    return "{" + lock + "}";
}

// One that acquires the lock.
struct contender {
    any_lock lock;
    holdfast::lease held = {};

    awaitable<error_code> try_acquire()
    {
        error_code ec;
        held = co_await lock.try_acquire({.wait = patience}, asio::redirect_error(use_awaitable, ec));
        co_return ec;
    }
    awaitable<error_code> release()
    {
        error_code ec;
        co_await held.release(asio::redirect_error(use_awaitable, ec));
        co_return ec;
    }
};

// What all scenes have: the damage, its repair, and the verdict.
class scene {
public:
    scene(key_world& w, key_scene what, std::string lock) : world_(w), what_(std::move(what)), lock_(std::move(lock)) {}

    key_world& world() const { return world_; }
    key_scene const& what() const { return what_; }
    std::string const& lock() const { return lock_; }
    key_verdict take_verdict() { return std::move(verdict_); }

    void require(bool holds, std::string promise)
    {
        if (!holds && std::ranges::find(verdict_.broken, promise) == verdict_.broken.end())
            verdict_.broken.push_back(std::move(promise));
    }
    void require_no_protocol_error(error_code ec) { require(ec != errc::protocol, "an operation ended as protocol"); }

    std::vector<std::string> keys()
    {
        auto all = world_.keys(lock_);
        std::erase_if(all, [&](auto const& k) { return k != lock_ && k.find(braced(lock_)) == k.npos; });
        std::ranges::sort(all);
        return all;
    }

    // Returns whether there are so many keys.
    bool do_damage()
    {
        auto const all = keys();
        require(all.size() <= most_keys, "the lock has more keys than are damaged");
        if (what_.which.back() >= all.size())
            return false;
        for (auto const i : what_.which) {
            damaged_.push_back(all[i]);
            verdict_.damaged += all[i] + " ";
            damage(all[i]);
        }
        return verdict_.is_played = true;
    }
    std::vector<std::string> const& damaged() const { return damaged_; }

    // What an operator does: he removes data that is none of the lock, but nothing that the lock has written since.
    void delete_foreign_data()
    {
        if (!is_foreign(what_.fault))
            return;
        for (auto const& key : damaged_) {
            auto const text = world_.execute({"GET", key}).text;
            if (text == other_text || text == nonsense || world_.execute({"HGET", key, other_text}).text == other_text)
                world_.execute({"DEL", key});
            world_.execute({"HDEL", key, nonsense});
            world_.execute({"ZREM", key, nonsense});
            world_.execute({"LREM", key, "0", nonsense});
        }
    }

    // Waits until only those keys are left that may stay, each of which begins with one of these or is one of them.
    awaitable<void> require_few_leftovers(std::vector<std::string> const& may_stay)
    {
        std::vector<std::string> left;
        for (milliseconds waited = 0ms; waited < patience; waited += moment) {
            left = keys();
            std::erase_if(left, [&](auto const& key) { return may_remain(key, may_stay); });
            if (left.empty())
                co_return;
            co_await world_.sleep(moment);
        }
        for (auto const& key : left)
            require(false, "nobody needs it any more: " + key);
    }

private:
    bool may_remain(std::string const& key, std::vector<std::string> const& may_stay)
    {
        if (key.starts_with("redisson_lock_token:"))
            return true;  // it has no time to live, as Redisson's
        bool const expires = world_.execute({"PTTL", key}).integer > 0;
        if (!world_.is_punctual() && is_foreign(what_.fault) && expires)
            return true;  // a release that is refused is given up when the lease time has passed
        bool const may_stay_for_ever = what_.fault == key_fault::lasts_for_ever
                                       && std::ranges::count(damaged_, key) > 0;
        return std::ranges::any_of(
                   may_stay, [&](auto const& s) { return key == s || (s.back() == ':' && key.starts_with(s)); })
               && (may_stay_for_ever || expires);
    }

    void damage(std::string const& key)
    {
        switch (what_.fault) {
            case key_fault::deleted: world_.execute({"DEL", key}); return;
            case key_fault::expired: world_.execute({"PEXPIRE", key, "1"}); return;
            case key_fault::lasts_for_ever: world_.execute({"PERSIST", key}); return;
            case key_fault::other_type: give_other_type(key); return;
            case key_fault::nonsense: add_nonsense(key); return;
        }
    }
    void give_other_type(std::string const& key)
    {
        auto const was_hash = world_.execute({"TYPE", key}).text == "hash";
        world_.execute({"DEL", key});
        if (was_hash)
            world_.execute({"SET", key, other_text});
        else
            world_.execute({"HSET", key, other_text, other_text});
    }
    void add_nonsense(std::string const& key)
    {
        auto const type = world_.execute({"TYPE", key}).text;
        if (type == "string")
            world_.execute({"SET", key, nonsense, "KEEPTTL"});
        else if (type == "hash")
            world_.execute({"HSET", key, nonsense, nonsense});
        else if (type == "zset")
            world_.execute({"ZADD", key, "5", nonsense});
        else
            world_.execute({"RPUSH", key, nonsense});
    }

    key_world& world_;
    key_scene what_;
    std::string lock_;
    std::vector<std::string> damaged_;
    key_verdict verdict_;
};

// One holder, three that wait, from before the damage or from then on, and one that comes last.
class lock_scene {
public:
    lock_scene(key_world& w, key_row const& row, key_scene what, std::string lock)
        : scene_(w, std::move(what), std::move(lock)), row_(row), holder_{row.holder(w, 0, scene_.lock())}
    {
        for (unsigned process = 1; process <= 3; ++process)
            waiters_.push_back({row.waiter(w, process, scene_.lock())});
    }

    awaitable<key_verdict> run()
    {
        scene_.require(!co_await holder_.try_acquire(), "an undamaged lock is granted");
        if (is_free())
            co_await holder_.release();
        auto const before = waiters_in(scene_.what().state);
        for (unsigned i = 0; i < before; ++i)
            scene_.world().spawn(wait(i));
        co_await scene_.world().sleep(3 * moment);
        auto const is_played = scene_.do_damage();
        if (is_played) {
            for (unsigned i = before; i < waiters_.size(); ++i)
                scene_.world().spawn(wait(i));
            co_await watch();
        }
        scene_.require_no_protocol_error(co_await holder_.release());
        if (is_played)
            co_await repair();
        while (ended_ < (is_played ? waiters_.size() : before))
            co_await scene_.world().sleep(moment);
        if (is_played)
            co_await serve_again();
        co_return scene_.take_verdict();
    }

private:
    bool is_free() const { return scene_.what().state == lock_state::free; }

    awaitable<void> wait(unsigned i)
    {
        auto const ec = co_await waiters_[i].try_acquire();
        scene_.require_no_protocol_error(ec);
        if (!is_foreign(scene_.what().fault) && !(ec == errc::invalid_option && lacks_permits()))
            scene_.require(!ec, "a waiter is served, and not told: " + ec.message());
        co_await scene_.world().sleep(2 * moment);
        scene_.require_no_protocol_error(co_await waiters_[i].release());
        ++ended_;
    }

    // Permits whose holders were forgotten are missing until set_permits() (docs/semaphore.md).
    bool lacks_permits() const
    {
        auto const& damaged = scene_.damaged();
        return row_.is_semaphore && std::ranges::count(damaged, braced(scene_.lock()) + ":timeout") > 0;
    }

    // Whether keys are damaged that say who holds the lock; of a semaphore all of them.
    bool decides() const
    {
        auto const is_damaged = [&](std::string part) {
            if (auto const at = part.find('#'); at != part.npos)
                part.replace(at, 1, scene_.lock());
            return std::ranges::any_of(scene_.damaged(), [&](auto const& key) {
                return key == part || (part[0] == ':' && key.find(part) != key.npos);
            });
        };
        if (!scene_.world().is_punctual() && std::ranges::any_of(row_.deciding_if_late, is_damaged))
            return true;
        return row_.is_semaphore ? std::ranges::all_of(row_.deciding, is_damaged)
                                 : std::ranges::any_of(row_.deciding, is_damaged);
    }

    awaitable<void> watch()
    {
        bool const is_decided = decides();
        bool const keeps = !is_free() && !is_decided && !row_.is_semaphore && scene_.world().is_punctual();
        for (milliseconds t = 0ms; t < scene_.world().watch_time(); t += moment) {
            co_await scene_.world().sleep(moment);
            auto const others = std::ranges::count_if(waiters_, [](auto const& w) { return w.held.valid(); });
            scene_.require(
                is_decided || !holder_.held.valid() || others == 0, "a waiter does not hold it beside the holder");
            scene_.require(row_.waiters_share || others < 2, "two waiters do not hold it at once");
            scene_.require(!keeps || holder_.held.valid(), "the holder keeps its lease");
        }
    }

    // The operator also sets the number of permits.
    awaitable<void> repair()
    {
        scene_.delete_foreign_data();
        if (!row_.is_semaphore)
            co_return;
        error_code ec;
        semaphore const permits(scene_.world().client_of(4), scene_.lock(), {.permits = 1});
        co_await permits.set_permits(1, asio::redirect_error(use_awaitable, ec));
        scene_.require(!ec, "set_permits() repairs a semaphore, and does not end as: " + ec.message());
    }

    awaitable<void> serve_again()
    {
        contender last{row_.waiter(scene_.world(), 4, scene_.lock())};
        auto const ec = co_await last.try_acquire();
        scene_.require(!ec && last.held.valid(), "the lock is acquired again, and not: " + ec.message());
        auto const on_release = co_await last.release();
        scene_.require(!on_release, "it is released again, and not: " + on_release.message());
        std::vector<std::string> may_stay{"holdfast_fence:", "holdfast_leader:"};
        if (row_.is_semaphore)
            may_stay.insert(
                may_stay.end(), {scene_.lock(), braced(scene_.lock()) + ":timeout", "holdfast_permit_numbers:"});
        if (is_foreign(scene_.what().fault))  // who could not read a queue has left his place in it
            may_stay.insert(
                may_stay.end(),
                {"holdfast_lock_waiters:",
                 "holdfast_permit_queue:",
                 "holdfast_permit_waiters:",
                 "holdfast_permit_waiting:"});
        co_await scene_.require_few_leftovers(may_stay);
    }

    scene scene_;
    key_row const& row_;
    contender holder_;
    std::vector<contender> waiters_;
    std::size_t ended_ = 0;
};

// A latch of which one of three was counted, and tasks that wait for it.
class latch_scene {
public:
    latch_scene(key_world& w, key_scene what, std::string lock)
        : scene_(w, std::move(what), std::move(lock)), counts_(w.client_of(0), scene_.lock())
    {}

    awaitable<key_verdict> run()
    {
        co_await counts_.set(3, use_awaitable);
        co_await counts_.count_down(is_free() ? 3 : 1, use_awaitable);
        auto const before = waiters_in(scene_.what().state);
        for (unsigned i = 0; i < before; ++i)
            scene_.world().spawn(wait(i));
        co_await scene_.world().sleep(3 * moment);
        auto const is_played = scene_.do_damage();
        if (is_played) {
            for (unsigned i = before; i < waiters; ++i)
                scene_.world().spawn(wait(i));
            co_await watch();
        }
        error_code ec;
        co_await counts_.count_down(2, asio::redirect_error(use_awaitable, ec));
        scene_.require_no_protocol_error(ec);
        scene_.delete_foreign_data();
        co_await counts_.count_down(2, asio::redirect_error(use_awaitable, ec));
        scene_.require(!ec, "a latch is counted, and not: " + ec.message());
        while (ended_ < (is_played ? waiters : before))
            co_await scene_.world().sleep(moment);
        if (is_played)
            co_await serve_again();
        co_return scene_.take_verdict();
    }

private:
    static constexpr unsigned waiters = 3;

    bool is_free() const { return scene_.what().state == lock_state::free; }
    // Without its count a latch is open (docs/latch.md).
    bool decides() const { return std::ranges::find(scene_.damaged(), scene_.lock()) != scene_.damaged().end(); }

    awaitable<void> wait(unsigned i)
    {
        error_code ec;
        latch const l(scene_.world().client_of(i + 1), scene_.lock());
        auto const is_open = co_await l.wait({.wait = patience}, asio::redirect_error(use_awaitable, ec));
        scene_.require_no_protocol_error(ec);
        if (!is_foreign(scene_.what().fault))
            scene_.require(is_open, "a task that waits learns that the latch is open, and not: " + ec.message());
        opened_ += is_open ? 1 : 0;
        ++ended_;
    }

    awaitable<void> watch()
    {
        bool const is_closed = !is_free() && !decides();
        for (milliseconds t = 0ms; t < scene_.world().watch_time(); t += moment) {
            co_await scene_.world().sleep(moment);
            scene_.require(!is_closed || opened_ == 0, "a latch that counts is closed");
        }
    }

    awaitable<void> serve_again()
    {
        error_code ec;
        co_await counts_.remove(asio::redirect_error(use_awaitable, ec));
        scene_.require(!ec, "a latch is removed, and not: " + ec.message());
        auto const is_set = co_await counts_.set(1, asio::redirect_error(use_awaitable, ec));
        scene_.require(is_set, "a latch is set again, and not: " + ec.message());
        auto const left = co_await counts_.count_down(asio::redirect_error(use_awaitable, ec));
        scene_.require(!ec && left == 0, "a latch is counted again, and not: " + ec.message());
        auto const is_open = co_await counts_.wait(asio::redirect_error(use_awaitable, ec));
        scene_.require(is_open, "a latch opens again, and not: " + ec.message());
        std::vector<std::string> const may_stay{"holdfast_latch:"};
        co_await scene_.require_few_leftovers(may_stay);
    }

    scene scene_;
    latch counts_;
    unsigned opened_ = 0;
    unsigned ended_ = 0;
};

}  // namespace

std::string description_of(key_scene const& s)
{
    std::string text(name_of(s.state));
    text += s.which.size() > 1 ? ", half gone:" : ", " + std::string(name_of(s.fault)) + ":";
    for (auto const i : s.which)
        text += " key " + std::to_string(i);
    return text;
}

std::vector<key_scene> key_scenes()
{
    std::vector<key_scene> all;
    for (auto const state : lock_states)
        for (std::size_t i = 0; i < most_keys; ++i) {
            for (auto const fault : key_faults)
                all.push_back({state, fault, {i}});
            for (std::size_t j = 0; j < i; ++j)
                all.push_back({state, key_fault::deleted, {j, i}});
        }
    return all;
}

std::vector<exclusive_lock> exclusive_locks()
{
    using name = std::string const&;
    auto const of_permits = [](semaphore_options o) {
        return [o](client& c, name n) { return any_lock(semaphore(c, n, o)); };
    };
    return {
        {"mutex", [](client& c, name n) { return any_lock(mutex(c, n)); }},
        {"fenced mutex", [](client& c, name n) { return any_lock(mutex(c, n, {.fencing = true})); }},
        {"reentrant lock",
         [](client& c, name n) { return any_lock(reentrant_lock(c, n, c.make_owner(), {.fencing = true})); }},
        {"fair lock", [](client& c, name n) { return any_lock(fair_lock(c, n, {.fencing = true})); }},
        {"write", [](client& c, name n) { return any_lock(read_write_lock(c, n, {.fencing = true}).write()); }},
        {"semaphore", of_permits({.permits = 1}), true},
        {"fair semaphore", of_permits({.permits = 1, .fair = true}), true},
        {"numbered semaphore", of_permits({.permits = 1, .numbered = true}), true}};
}

std::vector<key_row> key_rows()
{
    using name = std::string const&;
    std::vector<std::string> const lock{"#"}, slot_too{"#", ":rwlock_timeout:"}, permits{"#", "{#}:timeout"};
    std::vector<std::string> const members{"{#}:1", "{#}:2"}, nothing;
    std::vector<key_row> all;
    for (auto const& l : exclusive_locks())
        all.push_back({l.name, of(l.make), of(l.make), l.is_semaphore ? permits : lock, l.is_semaphore});
    auto const read = of([](client& c, name n) { return read_write_lock(c, n, {.fencing = true}).read(); });
    auto const write = of([](client& c, name n) { return read_write_lock(c, n, {.fencing = true}).write(); });
    auto const lead = of([](client& c, name n) { return detail::make_candidate(election(c, n), "value", 5); });
    auto const both = of([](client& c, name n) {
        return multi_lock(mutex(c, braced(n) + ":1"), mutex(c, braced(n) + ":2", {.fencing = true}));
    });
    auto const most = [](key_world& w, unsigned process, name n) {
        return any_lock(red_lock(w.clients_of_three_servers(process), n, {.trust_new_nodes = true}));
    };
    all.push_back({"read, writes wait", read, write, slot_too});
    all.push_back({"write, reads wait", write, read, lock, false, true});
    all.push_back({"election", lead, lead, lock});
    all.push_back({"multi_lock", both, both, members});
    // The grant of a third server may be late: the damaged one is needed for the majority then.
    all.push_back({"red_lock, of which one server in three is damaged", most, most, nothing, false, false, lock});
    return all;
}

awaitable<key_verdict> play(key_world& w, key_row const& row, key_scene what, std::string lock)
{
    lock_scene s(w, row, std::move(what), std::move(lock));
    co_return co_await s.run();
}

awaitable<key_verdict> play_latch(key_world& w, key_scene what, std::string lock)
{
    latch_scene s(w, std::move(what), std::move(lock));
    co_return co_await s.run();
}

}  // namespace holdfast::test
