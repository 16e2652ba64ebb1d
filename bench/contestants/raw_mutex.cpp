//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "contestants/raw_mutex.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/deferred.hpp>

#include "contestants/raw_connection.hpp"
#include "scripts_generated.hpp"

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;
namespace redis = boost::redis;

class raw_mutex final : public raw_connection {
public:
    explicit raw_mutex(redis_server& server)
        : raw_connection("raw loop, mutex' commands", {server}),
          release_sha1_(server.load(engine::scripts::mutex_release.text))
    {}

    void prepare(std::size_t contenders) override
    {
        for (auto i = locks_.size(); i < contenders; ++i) {
            auto const key = "bench:raw_mutex:" + std::to_string(i);
            locks_.push_back({key, "redisson_lock__channel:{" + key + "}"});
        }
    }

    asio::awaitable<void> contend(std::size_t number, heat& h) override
    {
        auto const& lock = locks_[number];
        while (h.goes_on()) {
            auto const requested = clock::now();
            auto const token = uuid_ + ":" + std::to_string(++tokens_);
            redis::request acquire;
            acquire.push("SET", lock.key, token, "NX", "PX", 30000);
            redis::response<std::optional<std::string>> granted;
            co_await connection().async_exec(acquire, granted);
            if (!std::get<0>(granted).value())
                throw std::runtime_error("raw mutex: not granted");
            h.acquired(requested);

            redis::request release;
            release.push("EVALSHA", release_sha1_, 1, lock.key, token, lock.channel);
            redis::response<long long> released;
            co_await connection().async_exec(release, released);
            if (std::get<0>(released).value() == 0)
                throw std::runtime_error("raw mutex: not released");
        }
    }

private:
    struct lock {
        std::string key, channel;
    };

    std::string release_sha1_;
    std::string uuid_ = "6f1c3a54-9d1b-8c3e-a1f2-0123456789ab";
    unsigned long long tokens_ = 0;
    std::vector<lock> locks_;
};

}  // namespace

std::unique_ptr<contestant> make_raw_mutex(redis_server& server)
{
    return std::make_unique<raw_mutex>(server);
}

}  // namespace holdfast::bench
