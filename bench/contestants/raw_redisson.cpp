//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "contestants/raw_redisson.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/deferred.hpp>

#include "contestants/raw_connection.hpp"
#include "support/all_of.hpp"

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;
namespace redis = boost::redis;

// KEYS lock, ARGV lease, holder. nil: granted; else PTTL.
constexpr auto acquire_script = R"lua(
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    redis.call('hincrby', KEYS[1], ARGV[2], 1)
    redis.call('pexpire', KEYS[1], ARGV[1])
    return nil
end
return redis.call('pttl', KEYS[1])
)lua";

// KEYS lock, channel, latch; ARGV message, lease, holder, publish command, time to live of the latch.
constexpr auto release_script = R"lua(
local done = redis.call('get', KEYS[3])
if done ~= false then return tonumber(done) end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
local count = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if count > 0 then
    redis.call('pexpire', KEYS[1], ARGV[2])
    redis.call('set', KEYS[3], 0, 'px', ARGV[5])
    return 0
end
redis.call('del', KEYS[1])
redis.call(ARGV[4], KEYS[2], ARGV[1])
redis.call('set', KEYS[3], 1, 'px', ARGV[5])
return 1
)lua";

// KEYS lock, queue, timeouts; ARGV lease, holder, time for which a waiter counts as alive, now. nil: granted; else the
// time of the next attempt.
constexpr auto fair_acquire_script = R"lua(
while true do
    local head = redis.call('lindex', KEYS[2], 0)
    if head == false then break end
    local death = redis.call('zscore', KEYS[3], head)
    if death == false or tonumber(death) > tonumber(ARGV[4]) then break end
    redis.call('zrem', KEYS[3], head)
    redis.call('lpop', KEYS[2])
end
if redis.call('exists', KEYS[1]) == 0
    and (redis.call('exists', KEYS[2]) == 0 or redis.call('lindex', KEYS[2], 0) == ARGV[2]) then
    redis.call('lpop', KEYS[2])
    redis.call('zrem', KEYS[3], ARGV[2])
    for _, waiter in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do
        redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), waiter)
    end
    redis.call('hset', KEYS[1], ARGV[2], 1)
    redis.call('pexpire', KEYS[1], ARGV[1])
    return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    redis.call('hincrby', KEYS[1], ARGV[2], 1)
    redis.call('pexpire', KEYS[1], ARGV[1])
    return nil
end
return redis.call('pttl', KEYS[1])
)lua";

// KEYS lock, queue, timeouts, channel, latch; ARGV message, lease, holder, now, publish command, time to live of the
// latch.
constexpr auto fair_release_script = R"lua(
local done = redis.call('get', KEYS[5])
if done ~= false then return tonumber(done) end
while true do
    local head = redis.call('lindex', KEYS[2], 0)
    if head == false then break end
    local death = redis.call('zscore', KEYS[3], head)
    if death == false or tonumber(death) > tonumber(ARGV[4]) then break end
    redis.call('zrem', KEYS[3], head)
    redis.call('lpop', KEYS[2])
end
if redis.call('exists', KEYS[1]) == 0 then
    redis.call('set', KEYS[5], 1, 'px', ARGV[6])
    return 1
end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
local count = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if count > 0 then
    redis.call('pexpire', KEYS[1], ARGV[2])
    redis.call('set', KEYS[5], 0, 'px', ARGV[6])
    return 0
end
redis.call('del', KEYS[1])
redis.call('set', KEYS[5], 1, 'px', ARGV[6])
local head = redis.call('lindex', KEYS[2], 0)
if head ~= false then redis.call(ARGV[5], KEYS[4] .. ':' .. head, ARGV[1]) end
return 1
)lua";

// KEYS permits, timeouts, channel; ARGV weight, end, now, end of a permit without a lease time, publish command,
// permit. OK: granted; else the end of the next permit.
constexpr auto permit_acquire_script = R"lua(
local over = redis.call('zrangebyscore', KEYS[2], 0, ARGV[3], 'limit', 0, ARGV[1])
if #over > 0 then
    redis.call('zrem', KEYS[2], unpack(over))
    local value = redis.call('incrby', KEYS[1], #over)
    if tonumber(value) > 0 then redis.call(ARGV[5], KEYS[3], value) end
end
local value = redis.call('get', KEYS[1])
if value ~= false and tonumber(value) >= tonumber(ARGV[1]) then
    redis.call('decrby', KEYS[1], ARGV[1])
    for i = 6, #ARGV do redis.call('zadd', KEYS[2], ARGV[2], ARGV[i]) end
    local ttl = redis.call('pttl', KEYS[1])
    if ttl > 0 then redis.call('pexpire', KEYS[2], ttl) end
    return 'OK'
end
local first = redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES')
if first[1] ~= nil and first[2] ~= ARGV[4] then return ':' .. tostring(first[2]) end
return nil
)lua";

// KEYS permits, channel, timeouts; ARGV permit, weight, now, publish command. 1: released.
constexpr auto permit_release_script = R"lua(
local ends = redis.call('zscore', KEYS[3], ARGV[1])
local removed = redis.call('zrem', KEYS[3], ARGV[1])
if tonumber(removed) ~= 1 then return 0 end
local value = redis.call('incrby', KEYS[1], ARGV[2])
redis.call(ARGV[4], KEYS[2], value)
if tonumber(ends) <= tonumber(ARGV[3]) then return 0 end
return 1
)lua";

constexpr auto lease = 30000;
constexpr auto waiter_life = 300000;
constexpr auto latch_life = 16000;

long long unix_ms()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

class raw_redisson : public raw_connection {
public:
    raw_redisson(std::string name, servers const& on)
        : raw_redisson(std::move(name), on, acquire_script, release_script)
    {}

    void prepare(std::size_t contenders) override
    {
        for (auto i = locks_.size(); i < contenders; ++i) {
            auto const key = "bench:raw_redisson:" + std::to_string(i);
            auto const tagged = "{" + key + "}";
            locks_.push_back(
                {key,
                 "redisson_lock_queue:" + tagged,
                 "redisson_lock_timeout:" + tagged,
                 "redisson_lock__channel:" + tagged,
                 "redisson_unlock_latch:" + tagged + ":",
                 "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:" + std::to_string(i)});
        }
    }

    asio::awaitable<void> contend(std::size_t number, heat& h) override
    {
        auto const& lock = locks_[number];
        while (h.goes_on()) {
            auto const requested = clock::now();
            redis::request acquire;
            push_acquire(acquire, lock);
            redis::response<std::optional<long long>> busy;
            co_await connection().async_exec(acquire, busy);
            if (std::get<0>(busy).value())
                throw std::runtime_error("raw Redisson: not granted");
            h.acquired(requested);

            auto const latch = next_latch(lock);
            redis::request release;
            push_release(release, lock, latch);
            redis::response<std::optional<long long>> released;
            co_await connection().async_exec(release, released);
            if (std::get<0>(released).value() != 1)
                throw std::runtime_error("raw Redisson: not released");
            remove(connection(), latch);
        }
    }

protected:
    struct lock {
        std::string key, queue, timeouts, channel, latch_prefix, holder;
    };

    raw_redisson(std::string name, servers const& on, char const* acquire, char const* release)
        : raw_connection(std::move(name), on), acquire_sha1_(load(on, acquire)), release_sha1_(load(on, release))
    {}

    lock const& lock_of(std::size_t contender) const { return locks_[contender]; }
    std::string next_latch(lock const& l) { return l.latch_prefix + next_request_id(); }

    virtual void push_acquire(redis::request& to, lock const& l) const
    {
        to.push("EVALSHA", acquire_sha1_, 1, l.key, lease, l.holder);
    }

    virtual void push_release(redis::request& to, lock const& l, std::string const& latch) const
    {
        to.push("EVALSHA", release_sha1_, 3, l.key, l.channel, latch, 0, lease, l.holder, "PUBLISH", latch_life);
    }

    static void remove(redis::connection& from, std::string const& latch)
    {
        auto const request = std::make_shared<redis::request>();
        request->push("DEL", latch);
        from.async_exec(*request, redis::ignore, [request](boost::system::error_code, std::size_t) {});
    }

    std::string const acquire_sha1_;
    std::string const release_sha1_;

private:
    static std::string load(servers const& on, char const* script)
    {
        std::string sha1;
        for (redis_server& s : on)
            sha1 = s.load(script);
        return sha1;
    }

    // 32 hexadecimal digits, as Redisson's.
    std::string next_request_id()
    {
        std::string id(33, '\0');
        std::snprintf(id.data(), id.size(), "%032llx", ++request_ids_);
        id.pop_back();
        return id;
    }

    // Each contestant starts at another number: when a turn ends, the last latches of the same locks may still exist.
    unsigned long long request_ids_ = std::hash<std::string>()(name());
    std::vector<lock> locks_;
};

class raw_redisson_fair final : public raw_redisson {
public:
    explicit raw_redisson_fair(redis_server& server)
        : raw_redisson("raw loop, Redisson's fair scripts", {server}, fair_acquire_script, fair_release_script)
    {}

private:
    void push_acquire(redis::request& to, lock const& l) const override
    {
        to.push("EVALSHA", acquire_sha1_, 3, l.key, l.queue, l.timeouts, lease, l.holder, waiter_life, unix_ms());
    }

    void push_release(redis::request& to, lock const& l, std::string const& latch) const override
    {
        to.push(
            "EVALSHA",
            release_sha1_,
            5,
            l.key,
            l.queue,
            l.timeouts,
            l.channel,
            latch,
            0,
            lease,
            l.holder,
            unix_ms(),
            "PUBLISH",
            latch_life);
    }
};

class raw_redisson_permits final : public raw_connection {
public:
    raw_redisson_permits(redis_server& server, std::string name, std::size_t permits)
        : raw_connection(std::move(name), {server}),
          acquire_sha1_(server.load(permit_acquire_script)),
          release_sha1_(server.load(permit_release_script)),
          permits_(permits)
    {}

    void prepare(std::size_t) override {}

    asio::awaitable<void> connect() override
    {
        co_await raw_connection::connect();
        redis::request set;
        set.push("SET", key_, permits_);
        co_await connection().async_exec(set, redis::ignore);
    }

    asio::awaitable<void> contend(std::size_t, heat& h) override
    {
        while (h.goes_on()) {
            auto const permit = next_permit();
            auto const requested = clock::now();
            auto const now = unix_ms();
            redis::request acquire;
            acquire.push(
                "EVALSHA",
                acquire_sha1_,
                3,
                key_,
                timeouts_,
                channel_,
                1,
                now + lease,
                now,
                endless,
                "PUBLISH",
                permit);
            redis::response<std::optional<std::string>> granted;
            co_await connection().async_exec(acquire, granted);
            if (std::get<0>(granted).value() != "OK")
                throw std::runtime_error("raw Redisson: not granted");
            h.acquired(requested);

            redis::request release;
            release.push("EVALSHA", release_sha1_, 3, key_, channel_, timeouts_, permit, 1, unix_ms(), "PUBLISH");
            redis::response<long long> released;
            co_await connection().async_exec(release, released);
            if (std::get<0>(released).value() != 1)
                throw std::runtime_error("raw Redisson: not released");
        }
    }

private:
    // 16 bytes, as Redisson's.
    std::string next_permit()
    {
        std::string id(17, '\0');
        std::snprintf(id.data(), id.size(), "%016llx", ++permit_ids_);
        id.pop_back();
        return id;
    }

    static constexpr auto endless = 922337203685477;
    std::string const key_ = "bench:raw_redisson:permits";
    std::string const timeouts_ = "{" + key_ + "}:timeout";
    std::string const channel_ = "redisson_sc:{" + key_ + "}";
    std::string const acquire_sha1_;
    std::string const release_sha1_;
    std::size_t const permits_;
    unsigned long long permit_ids_ = 0;
};

// Acquires on one server after the other; sends all releases at once.
class raw_redisson_red final : public raw_redisson {
public:
    using raw_redisson::raw_redisson;

    asio::awaitable<void> contend(std::size_t number, heat& h) override
    {
        auto const& lock = lock_of(number);
        while (h.goes_on()) {
            auto const requested = clock::now();
            for (auto& on : connections()) {
                redis::request acquire;
                push_acquire(acquire, lock);
                redis::response<std::optional<long long>> busy;
                co_await on.async_exec(acquire, busy);
                if (std::get<0>(busy).value())
                    throw std::runtime_error("raw Redisson: not granted");
            }
            h.acquired(requested);
            co_await all_of(
                connections().size(), [&](std::size_t i, auto done) { release(connections()[i], lock, done); });
        }
    }

private:
    struct release_of_one {
        explicit release_of_one(std::string l) : latch(std::move(l)) {}

        std::string const latch;
        redis::request request;
        redis::response<std::optional<long long>> released;
    };

    template <class Done>
    void release(redis::connection& on, lock const& l, Done done)
    {
        auto const r = std::make_shared<release_of_one>(next_latch(l));
        push_release(r->request, l, r->latch);
        on.async_exec(r->request, r->released, [r, &on, done](boost::system::error_code, std::size_t) {
            if (std::get<0>(r->released).value() != 1)
                throw std::runtime_error("raw Redisson: not released");
            remove(on, r->latch);
            done();
        });
    }
};

}  // namespace

std::unique_ptr<contestant> make_raw_redisson(redis_server& server)
{
    return std::make_unique<raw_redisson>("raw loop, Redisson's scripts", servers{server});
}

std::unique_ptr<contestant> make_raw_redisson_red(servers const& on, std::string name)
{
    return std::make_unique<raw_redisson_red>(std::move(name), on);
}

std::unique_ptr<contestant> make_raw_redisson_permits(redis_server& server, std::string name, std::size_t permits)
{
    return std::make_unique<raw_redisson_permits>(server, std::move(name), permits);
}

std::unique_ptr<contestant> make_raw_redisson_fair(redis_server& server)
{
    return std::make_unique<raw_redisson_fair>(server);
}

}  // namespace holdfast::bench
