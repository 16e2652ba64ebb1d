//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_DAMAGED_KEYS_HPP
#define HOLDFAST_TEST_SUPPORT_DAMAGED_KEYS_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <holdfast.hpp>

#include "sim/value.hpp"

namespace holdfast::test {

// Each lock has several keys. A scene damages one of them, or deletes two, in a state of the lock. Whatever was damaged:
// - two contenders hold the lock at once only if the damage concerns a key that decides who holds it;
// - the holder keeps its lease, and all that wait are served, as far as the other keys can tell;
// - no operation ends as protocol;
// - the lock can be acquired again, when an operator has deleted what was none of the lock's data;
// - when all have released, only those keys remain of which docs/operations.md says so, and these with a time to live.
//
// play() tells which of these promises were broken. It runs in the simulator and on a real server: see key_world.

enum class key_fault { deleted, expired, other_type, nonsense, lasts_for_ever };
inline constexpr key_fault key_faults[]{
    key_fault::deleted, key_fault::expired, key_fault::other_type, key_fault::nonsense, key_fault::lasts_for_ever};

enum class lock_state { free, held, waited_for, queued };
inline constexpr lock_state lock_states[]{
    lock_state::free, lock_state::held, lock_state::waited_for, lock_state::queued};

struct key_scene {
    lock_state state;
    key_fault fault;
    std::vector<std::size_t> which;  // of the keys that exist, by name; of two keys the lock is half gone
};
std::string description_of(key_scene const&);

// Each state with each fault of each key, and with each two keys deleted. No lock has more than `most_keys`: play() says
// so if one has.
inline constexpr std::size_t most_keys = 8;
std::vector<key_scene> key_scenes();

// The servers and the clients of a scene. The keys are those of the first server. `process` is below `processes`.
class key_world {
public:
    static constexpr unsigned processes = 5;

    virtual ~key_world() = default;
    virtual client& client_of(unsigned process) = 0;
    virtual std::vector<client const*> clients_of_three_servers(unsigned process) = 0;
    virtual simulated::value execute(std::vector<std::string> const& words) = 0;
    // Those with the name of the lock in theirs; perhaps some others, too.
    virtual std::vector<std::string> keys(std::string const& lock) = 0;
    virtual asio::awaitable<void> sleep(std::chrono::milliseconds) = 0;
    virtual void spawn(asio::awaitable<void>) = 0;
    // How long contenders are watched after the damage: several renewals.
    virtual std::chrono::milliseconds watch_time() const = 0;
    // Whether no process and no reply is ever late, so that a lease is lost only by a fault.
    virtual bool is_punctual() const = 0;
};

// An any_lock that one holds at a time: each kind that has no sides.
struct exclusive_lock {
    char const* name;
    std::function<any_lock(client&, std::string const&)> make;
    bool is_semaphore = false;
};
std::vector<exclusive_lock> exclusive_locks();

// Who holds the lock, and who waits for it.
struct key_row {
    using maker = std::function<any_lock(key_world&, unsigned process, std::string const& lock)>;

    char const* name;
    maker holder;
    maker waiter;
    std::vector<std::string> deciding;               // the keys that say who holds the lock #; :x is a part of a key
    bool is_semaphore = false;                       // which loses permits with its keys, and decides by all of them
    bool waiters_share = false;                      // several of them hold the lock at once
    std::vector<std::string> deciding_if_late = {};  // where replies may be late: these decide, too
};
std::vector<key_row> key_rows();

struct key_verdict {
    bool is_played = false;  // false: there are not so many keys
    std::string damaged;
    std::vector<std::string> broken;
};
asio::awaitable<key_verdict> play(key_world&, key_row const&, key_scene, std::string lock);
// The same of a latch: those that wait are not told that it is open while it has something to count.
asio::awaitable<key_verdict> play_latch(key_world&, key_scene, std::string lock);

}  // namespace holdfast::test

#endif
