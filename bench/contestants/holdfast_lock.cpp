//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "contestants/holdfast_lock.hpp"

#include <cstdio>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/asio/detached.hpp>

#include <holdfast.hpp>

namespace holdfast::bench {
namespace {

config to_config(redis_server const& server, holdfast_options const& options)
{
    config c{.local_handoff = options.local_handoff, .log = [](log_level level, std::string_view line) {
                 if (level >= log_level::warning)
                     std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
             }};
    c.url = options.by ? server.url(*options.by) : server.url();
    if (!options.url.empty())
        c.url = options.url;
    c.acknowledged_by = options.acknowledged_by;
    if (options.by == transport::tls)
        c.tls.ca_file = server.certificate();
    return c;
}

template <class Lock>
class holdfast_lock final : public contestant {
public:
    holdfast_lock(redis_server const& server, holdfast_options const& options, semaphore_options const& permits = {})
        : contestant(options.name),
          names_(options.names),
          permits_(permits),
          client_(context(), to_config(server, options))
    {
        client_.run(asio::detached);
    }

    asio::awaitable<void> connect() override { co_await client_.ready(); }

    void prepare(std::size_t contenders) override
    {
        auto const names = names_ == 0 ? contenders : names_;
        for (auto i = locks_.size(); i < names; ++i)
            locks_.push_back(make("bench:" + name() + ":" + std::to_string(i)));
    }

    asio::awaitable<void> contend(std::size_t number, heat& h) override
    {
        auto const& lock = locks_[number % locks_.size()];
        while (h.goes_on()) {
            auto const requested = clock::now();
            auto lease = co_await lock.acquire();
            h.acquired(requested);
            co_await lease.release();
        }
    }

private:
    Lock make(std::string const& key) const
    {
        if constexpr (std::is_same_v<Lock, mutex>)
            return {client_, key};
        else if constexpr (std::is_same_v<Lock, semaphore>)
            return {client_, key, permits_};
        else
            return {client_, key, client_.make_owner()};
    }

    std::size_t names_;
    semaphore_options permits_;
    client client_;
    std::vector<Lock> locks_;
};

}  // namespace

std::unique_ptr<contestant> make_mutex(redis_server& server, holdfast_options const& options)
{
    return std::make_unique<holdfast_lock<mutex>>(server, options);
}

std::unique_ptr<contestant> make_reentrant_lock(redis_server& server, holdfast_options const& options)
{
    return std::make_unique<holdfast_lock<reentrant_lock>>(server, options);
}

std::unique_ptr<contestant> make_fair_lock(redis_server& server, holdfast_options const& options)
{
    return std::make_unique<holdfast_lock<fair_lock>>(server, options);
}

std::unique_ptr<contestant> make_semaphore(
    redis_server& server, holdfast_options const& options, semaphore_options const& permits)
{
    return std::make_unique<holdfast_lock<semaphore>>(server, options, permits);
}

}  // namespace holdfast::bench
