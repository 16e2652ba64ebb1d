//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The read-write lock's scripts, step by step, beside data that another library left there; on a real server and on the
// model at once.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "conformance/comparison.hpp"
#include "scripts_generated.hpp"

namespace holdfast::test {
namespace {

using simulated::value;

// Holders, in the format that both libraries write.
constexpr auto mine = "6f1c1d0e-0000-8000-8000-000000000001:1";
constexpr auto other = "6f1c1d0e-0000-8000-8000-000000000001:2";
constexpr auto writer = "6f1c1d0e-0000-8000-8000-000000000001:3:write";
constexpr auto rival = "6f1c1d0e-0000-8000-8000-000000000002:4:write";
constexpr auto foreign = "6f1c1d0e-0000-4000-8000-000000000003:77";

constexpr auto free_of_anything = -3 + 2;  // a fenced reply's "no time to live"

class read_write_scripts {
public:
    explicit read_write_scripts(std::string name = "lock") : name_(std::move(name))
    {
        if (!redis_server::is_installed())
            SKIP("no redis-server");
        both_.emplace();
        prefix_ = name_.find('{') == name_.npos ? "{" + name_ + "}:" : name_ + ":";
    }

    value read(std::string const& holder, std::string const& lease, std::string const& under = "")
    {
        return run("read_acquire", {name_, slot(holder), "mark", "turn"}, {holder, lease, under, "60000"});
    }
    // An acquire of a reader that waiting writers do not keep out.
    value read_first(std::string const& holder, std::string const& lease)
    {
        return run("read_acquire", {name_, slot(holder)}, {holder, lease, "", "0"});
    }
    value leave(std::string const& holder)
    {
        return run("read_release", {name_, slot(holder)}, {holder, "c", prefix_});
    }
    value leave_later(std::string const& holder, std::string const& time)
    {
        return run("read_release_later", {name_, slot(holder)}, {holder, "c", prefix_, time});
    }
    value renew(std::string const& holder, std::string const& lease)
    {
        return run("read_renew", {name_, slot(holder), "mark"}, {holder, lease}).items.at(0);
    }
    value write(std::string const& holder, std::string const& lease, std::string const& mark = "60000")
    {
        return run("write_acquire", {name_, "mark", "turn"}, {holder, lease, prefix_, mark, "0"});
    }
    value write_fenced(std::string const& holder)
    {
        return run("write_acquire", {name_, "mark", "turn", "counter"}, {holder, "100000", prefix_, "0", "86400000"});
    }
    value unwrite(std::string const& holder, std::string const& turn = "60000")
    {
        return run("write_release", {name_, "mark", "turn"}, {holder, "c", prefix_, turn});
    }
    value waiting() { return run("read_write_waiting", {"mark"}, {}); }
    value force() { return run("read_write_force_release", {name_}, {"c", prefix_}); }

    // Writes the keys of a Redisson reader with that many holds.
    void foreign_reads(int holds, std::string const& lease)
    {
        command({"HSET", name_, "mode", "read", foreign, std::to_string(holds)});
        for (int i = 1; i <= holds; ++i)
            command({"SET", prefix_ + foreign + ":rwlock_timeout:" + std::to_string(i), "1", "PX", lease});
        command({"PEXPIRE", name_, lease});
    }

    // Lets about a millisecond pass after each call of the scripts from now on. Before Redis 7.2 the server's clock goes on
    // within a script.
    void be_slow()
    {
        before_ = "local redis = setmetatable({call = function(...) local reply = redis.call(...) "
                  "for i = 1, 150000 do end return reply end}, {__index = redis}) ";
    }

    value command(std::vector<std::string> const& words) { return both_->command(words); }
    std::string slot(std::string const& holder) const { return prefix_ + holder + ":rwlock_timeout:1"; }
    std::string mode() { return command({"HGET", name_, "mode"}).text; }
    std::int64_t ttl() { return command({"PTTL", name_}).integer; }
    bool exists(std::string const& key) { return command({"EXISTS", key}).integer == 1; }
    std::int64_t keys() { return command({"DBSIZE"}).integer; }

private:
    value run(std::string_view script, std::vector<std::string> const& keys, std::vector<std::string> const& arguments)
    {
        auto const* const found = std::ranges::find(engine::scripts::all, script, &engine::script::name);
        std::vector<std::string> words{"EVAL", before_ + std::string(found->text), std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return both_->command(words);
    }

    std::string name_;
    std::string prefix_;
    std::string before_;
    std::optional<comparison> both_;
};

TEST_CASE("readers share the lock, and it lasts as long as the longest read", "[conformance]")
{
    read_write_scripts b;
    CHECK(b.read(mine, "100000").is_nil());
    CHECK(b.read(other, "30000").is_nil());
    CHECK(b.ttl() > 90'000);  // a short read does not shorten the lock's time to live
    CHECK(b.write(writer, "30000", "0").integer < -90'000);
    CHECK(b.leave(mine).integer == 1);
    CHECK((b.ttl() > 20'000 && b.ttl() <= 30'000));
    CHECK(b.leave(mine).integer == 0);
    CHECK(b.leave(other).integer == 1);
    CHECK(b.keys() == 0);
}

TEST_CASE("the release of the longest reader shortens the lock's time to live on a slow server too", "[conformance]")
{
    read_write_scripts b;
    b.be_slow();
    bool is_renewed = false;
    SECTION("acquired") {}
    SECTION("renewed")
    {
        is_renewed = true;
    }
    b.read(mine, "100000");
    b.read(other, "90000");
    if (is_renewed)
        b.renew(mine, "200000");
    b.leave(mine);
    CHECK(b.ttl() <= 90'000);
}

TEST_CASE("an acquire of a read that is sent twice counts once", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    CHECK(b.read(mine, "100000").is_nil());
    CHECK(b.command({"HGET", "lock", mine}).text == "1");
    CHECK(b.leave(mine).integer == 1);
    CHECK(b.keys() == 0);
}

TEST_CASE("a read that ends later keeps the lock as long as the longest read that is left", "[conformance]")
{
    read_write_scripts b;
    CHECK(b.leave_later(mine, "10000").integer == 0);
    b.read(mine, "600000");
    b.read(other, "50000");
    CHECK(b.leave_later(mine, "10000").integer == 1);
    CHECK(b.ttl() <= 50'000);
    CHECK(b.ttl() > 40'000);
    CHECK(b.command({"PTTL", b.slot(mine)}).integer <= 10'000);
    CHECK(b.leave_later(other, "20000").integer == 1);
    CHECK(b.ttl() <= 20'000);
    CHECK(b.leave_later(mine, "900000").integer == 1);
    CHECK(b.ttl() <= 20'000);  // it never prolongs the lock
    CHECK(b.leave(mine).integer == 1);
    CHECK(b.leave(other).integer == 1);
    CHECK(b.keys() == 0);
}

TEST_CASE("a read under a write that ends later leaves the write as it is", "[conformance]")
{
    read_write_scripts b;
    b.write(writer, "600000");
    b.read(mine, "300000", writer);
    CHECK(b.leave_later(mine, "10000").integer == 1);
    CHECK(b.ttl() > 500'000);
    CHECK(b.command({"PTTL", b.slot(mine)}).integer <= 10'000);
    b.unwrite(writer);
    CHECK(b.ttl() <= 10'000);
}

TEST_CASE("a release of a read deletes its slot although the lock is of another type", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    b.command({"DEL", "lock"});
    b.command({"SET", "lock", "of another program", "PX", "100000"});
    CHECK(b.leave(mine).is_error());
    CHECK(b.keys() == 1);
    CHECK(b.exists("lock"));
}

TEST_CASE("a release of a read does not end a longer read of another library with two holds", "[conformance]")
{
    read_write_scripts b;
    b.foreign_reads(2, "100000");
    CHECK(b.read(mine, "30000").is_nil());
    CHECK(b.ttl() > 90'000);
    CHECK(b.leave(mine).integer == 1);
    CHECK(b.mode() == "read");
    CHECK(b.ttl() > 90'000);
}

TEST_CASE("a renewal restores a read's time to live after another library shortened it", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "600000");
    b.foreign_reads(1, "30000");
    CHECK(b.ttl() <= 30'000);
    CHECK(b.renew(mine, "0").integer == 1);
    CHECK(b.ttl() > 590'000);
    CHECK(b.renew(mine, "30000").integer == 1);  // never shortens it
    CHECK(b.ttl() > 590'000);
    CHECK(b.renew(other, "30000").integer == 0);
}

TEST_CASE("a read without its slot key cannot be renewed and does not keep a writer out", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    b.command({"DEL", b.slot(mine)});
    CHECK(b.renew(mine, "100000").integer == 0);
    CHECK(b.write(writer, "30000").integer == 0);  // a dead reader keeps no writer out
    CHECK(b.mode() == "write");
    CHECK(b.leave(mine).integer == 0);
    CHECK(b.mode() == "write");
}

TEST_CASE("after the release of a read without its slot key the lock lasts as long as the other reads", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    b.read(other, "30000");
    b.command({"DEL", b.slot(mine)});
    CHECK(b.leave(mine).integer == 1);
    CHECK((b.ttl() > 20'000 && b.ttl() <= 30'000));
}

TEST_CASE("one live reader among expired ones keeps a writer out", "[conformance]")
{
    read_write_scripts b;
    b.foreign_reads(3, "100000");
    b.command({"DEL", "{lock}:" + std::string(foreign) + ":rwlock_timeout:3"});
    b.read(mine, "100000");
    b.command({"DEL", b.slot(mine)});
    CHECK(b.write(writer, "30000", "0").integer < 0);
}

TEST_CASE("a writer excludes all but its own reads, which may outlast the write", "[conformance]")
{
    read_write_scripts b;
    CHECK(b.write(writer, "100000").integer == 0);
    CHECK(b.write(rival, "100000", "0").integer < free_of_anything);
    CHECK(b.read(mine, "100000").integer > 90'000);
    CHECK(b.read(mine, "100000", rival).integer > 90'000);
    CHECK(b.read(mine, "30000", writer).is_nil());
    CHECK(b.ttl() > 90'000);

    SECTION("the read ends first: the write keeps its time to live")
    {
        CHECK(b.leave(mine).integer == 1);
        CHECK(b.mode() == "write");
        CHECK(b.ttl() > 90'000);
        CHECK(b.unwrite(writer, "0").integer == 1);
        CHECK_FALSE(b.exists("lock"));
    }
    SECTION("the write ends first: the lock lasts as long as the read, and other readers enter")
    {
        CHECK(b.unwrite(writer, "0").integer == 1);
        CHECK(b.mode() == "read");
        CHECK((b.ttl() > 20'000 && b.ttl() <= 30'000));
        CHECK(b.read_first(other, "30000").is_nil());
        CHECK(b.leave(mine).integer == 1);
        CHECK(b.leave(other).integer == 1);
        CHECK_FALSE(b.exists("lock"));
    }
    SECTION("the read has expired: the release of the write deletes the lock")
    {
        b.command({"DEL", b.slot(mine)});
        CHECK(b.unwrite(writer, "0").integer == 1);
        CHECK_FALSE(b.exists("lock"));
    }
}

TEST_CASE("a waiting writer keeps new readers out until it gives up", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    CHECK(b.waiting().items.empty());
    CHECK(b.write(writer, "30000").integer < -90'000);
    CHECK(b.command({"GET", "mark"}).text == writer);
    CHECK(b.waiting().items.at(0).text == writer);
    CHECK(b.waiting().items.at(1).integer > 50'000);
    auto const after = b.read(other, "30000").integer;  // the shorter of the two times to live
    CHECK(after > 50'000);
    CHECK(after <= 60'000);
    CHECK(b.read_first(other, "30000").is_nil());
    CHECK(b.renew(mine, "100000").integer == 2);
    CHECK(b.write(rival, "30000").integer < -90'000);  // the newest mark stays
    CHECK(b.unwrite(writer).integer == 0);
    CHECK(b.command({"GET", "mark"}).text == rival);
    CHECK(b.unwrite(rival).integer == 0);
    CHECK_FALSE(b.exists("mark"));
    CHECK(b.waiting().items.empty());
    CHECK(b.renew(mine, "100000").integer == 1);
    CHECK(b.mode() == "read");
}

TEST_CASE("a writer that is granted deletes its own mark, and not another writer's", "[conformance]")
{
    read_write_scripts b;
    b.read(mine, "100000");
    b.write(writer, "30000");
    b.leave(mine);
    SECTION("the mark is its own")
    {
        CHECK(b.write(writer, "30000").integer == 0);
        CHECK_FALSE(b.exists("mark"));
    }
    SECTION("the mark is another writer's")
    {
        CHECK(b.write(rival, "30000").integer == 0);
        CHECK(b.command({"GET", "mark"}).text == writer);
    }
}

TEST_CASE("readers that waited have a turn after a write, before the next one", "[conformance]")
{
    read_write_scripts b;
    b.write(writer, "100000");
    b.write(rival, "100000");
    CHECK(b.read(mine, "100000").integer > 90'000);
    CHECK(b.command({"GET", "turn"}).text == "wait");
    CHECK(b.unwrite(writer).integer == 1);
    CHECK(b.command({"GET", "turn"}).text == "turn");
    CHECK(b.write(rival, "100000").integer < -50'000);  // the rest of the turn
    CHECK(b.read(mine, "100000").is_nil());
    CHECK(b.read(other, "100000").is_nil());
    b.command({"DEL", "turn"});
    CHECK(b.read(foreign, "100000").integer > 50'000);  // the rival's mark
}

TEST_CASE("without waiting readers the next writer is granted at once", "[conformance]")
{
    read_write_scripts b;
    b.write(writer, "100000");
    CHECK(b.unwrite(writer).integer == 1);
    CHECK(b.write(rival, "100000").integer == 0);
}

TEST_CASE("fencing tokens of writes grow, also from a counter ahead of the clock", "[conformance]")
{
    read_write_scripts b;
    auto const first = b.write_fenced(writer).integer;
    CHECK(first > 0);
    CHECK(b.write_fenced(rival).integer < 0);
    b.unwrite(writer);
    CHECK(b.write_fenced(rival).integer > first);
    b.unwrite(rival);
    b.command({"SET", "counter", "8000000000000000"});
    CHECK(b.write_fenced(writer).integer == 8'000'000'000'000'001);
}

TEST_CASE("the forced release of a read-write lock deletes the lock and all slot keys", "[conformance]")
{
    read_write_scripts b;
    b.foreign_reads(2, "100000");
    b.read(mine, "100000");
    CHECK(b.force().integer == 1);
    CHECK(b.keys() == 0);
    CHECK(b.force().integer == 0);
}

TEST_CASE("slot keys of a lock name with a hash tag begin with that name, without more braces", "[conformance]")
{
    read_write_scripts b("{test}:abc:key");
    CHECK(b.read(mine, "100000").is_nil());
    CHECK(b.exists("{test}:abc:key:" + std::string(mine) + ":rwlock_timeout:1"));
    CHECK(b.leave(mine).integer == 1);
    CHECK(b.keys() == 0);
}

}  // namespace
}  // namespace holdfast::test
