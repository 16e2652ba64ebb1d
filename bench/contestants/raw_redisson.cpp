//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "contestants/raw_redisson.hpp"

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/deferred.hpp>

#include "contestants/raw_connection.hpp"

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

// KEYS lock, channel, latch; ARGV message, lease, holder, publish command, life of the latch.
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

constexpr auto lease = 30000;
constexpr auto latch_life = 16000;

class raw_redisson final : public raw_connection {
public:
    explicit raw_redisson(redis_server& server)
        : raw_connection("raw loop, Redisson's scripts", server),
          acquire_sha1_(server.load(acquire_script)),
          release_sha1_(server.load(release_script))
    {}

    void prepare(std::size_t contenders) override
    {
        for (auto i = locks_.size(); i < contenders; ++i) {
            auto const key = "bench:raw_redisson:" + std::to_string(i);
            auto const tagged = "{" + key + "}";
            locks_.push_back(
                {key,
                 "redisson_lock__channel:" + tagged,
                 "redisson_unlock_latch:" + tagged + ":",
                 "6f1c3a54-9d1b-4c3e-a1f2-0123456789ab:" + std::to_string(i)});
        }
    }

    asio::awaitable<void> contend(std::size_t number, heat& h) override
    {
        auto const& lock = locks_[number];
        while (h.goes_on()) {
            auto const asked = clock::now();
            redis::request acquire;
            acquire.push("EVALSHA", acquire_sha1_, 1, lock.key, lease, lock.holder);
            redis::response<std::optional<long long>> busy;
            co_await connection_.async_exec(acquire, busy);
            if (std::get<0>(busy).value())
                throw std::runtime_error("raw Redisson: not granted");
            h.acquired(asked);

            auto const latch = lock.latch_prefix + next_request_id();
            redis::request release;
            release.push(
                "EVALSHA",
                release_sha1_,
                3,
                lock.key,
                lock.channel,
                latch,
                0,
                lease,
                lock.holder,
                "PUBLISH",
                latch_life);
            redis::response<std::optional<long long>> released;
            co_await connection_.async_exec(release, released);
            if (std::get<0>(released).value() != 1)
                throw std::runtime_error("raw Redisson: not released");
            remove(latch);
        }
    }

private:
    struct lock {
        std::string key, channel, latch_prefix, holder;
    };

    // 32 hexadecimal digits, as Redisson's.
    std::string next_request_id()
    {
        std::string id(33, '\0');
        std::snprintf(id.data(), id.size(), "%032llx", ++request_ids_);
        id.pop_back();
        return id;
    }

    void remove(std::string const& latch)
    {
        auto const request = std::make_shared<redis::request>();
        request->push("DEL", latch);
        connection_.async_exec(*request, redis::ignore, [request](boost::system::error_code, std::size_t) {});
    }

    std::string acquire_sha1_;
    std::string release_sha1_;
    unsigned long long request_ids_ = 0;
    std::vector<lock> locks_;
};

}  // namespace

std::unique_ptr<contestant> make_raw_redisson(redis_server& server)
{
    return std::make_unique<raw_redisson>(server);
}

}  // namespace holdfast::bench
