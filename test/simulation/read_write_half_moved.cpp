//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The scripts of read_write_lock in a half-moved hash slot. The slots of the readers are no keys of these scripts, so the
// server ends a script that looks for one which has moved already. Such a script has written nothing: it is executed
// again after the move, as if for the first time.

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "scripts_generated.hpp"
#include "simulation/half_moved_slot.hpp"

namespace holdfast::test {
namespace {

namespace scripts = engine::scripts;

class half_moved_read_write : public half_moved_slot {
    static constexpr auto lock = "rw";
    static constexpr auto prefix = "{rw}:";
    static constexpr auto mark = "holdfast_rw_writer:{rw}";
    static constexpr auto turn = "holdfast_rw_readers:{rw}";

public:
    half_moved_read_write() : half_moved_slot(lock) {}

    static std::string writer(int n) { return holder(n) + ":write"; }
    static std::string slot_of(int n) { return prefix + holder(n) + ":rwlock_timeout:1"; }

    std::string read(int n, std::string const& lease, std::string const& under = "")
    {
        return run(scripts::read_acquire, {lock, slot_of(n)}, {holder(n), lease, under, "0"});
    }
    std::string write(int n)
    {
        return run(scripts::write_acquire, {lock, mark, turn}, {writer(n), "10000", prefix, "0", "0"});
    }
    std::string release_read(int n) { return run(scripts::read_release, {lock, slot_of(n)}, {holder(n), "c", prefix}); }
    std::string release_write(int n)
    {
        return run(scripts::write_release, {lock, mark, turn}, {writer(n), "c", prefix, "60000"});
    }
    std::string force_release() { return run(scripts::read_write_force_release, {lock}, {"c", prefix}); }

    void move_slot_of(int n)
    {
        begin_move();
        REQUIRE(move_key(slot_of(n)));
    }
    static bool is_refused(std::string const& reply)
    {
        return reply.starts_with("-ERR Script attempted to access a non local key");
    }
    std::string fields() { return to_string(at_source({"HGETALL", lock})); }
    // Both keys are there, so that the server executes the script of a writer.
    void let_others_wait()
    {
        at_source({"SET", mark, writer(9), "PX", "60000"});
        at_source({"SET", turn, "wait", "PX", "60000"});
    }
};

TEST_CASE_METHOD(
    half_moved_read_write, "a release of a read has no effect if the slot of another reader has moved", "[half-moved]")
{
    REQUIRE(read(1, "10000") == "nil");
    REQUIRE(read(2, "5000") == "nil");
    auto const before = fields();
    move_slot_of(2);
    // How long the lock remains depends on the other reader.
    CHECK(is_refused(release_read(1)));
    CHECK(fields() == before);
    CHECK(at_source({"EXISTS", slot_of(1)}).integer == 1);
}

TEST_CASE_METHOD(
    half_moved_read_write, "a release of a write has no effect if the slot of its reader has moved", "[half-moved]")
{
    REQUIRE(write(1) == "0");
    REQUIRE(read(1, "5000", writer(1)) == "nil");
    auto const before = fields();
    let_others_wait();
    move_slot_of(1);
    // How long the lock remains depends on the reader.
    CHECK(is_refused(release_write(1)));
    CHECK(fields() == before);
}

TEST_CASE_METHOD(
    half_moved_read_write, "force_release() deletes the lock although the slot of a reader has moved", "[half-moved]")
{
    REQUIRE(read(1, "10000") == "nil");
    REQUIRE(read(2, "5000") == "nil");
    move_slot_of(2);
    CHECK(force_release() == "1");
    CHECK(at_source({"DBSIZE"}).integer == 0);
}

}  // namespace
}  // namespace holdfast::test
