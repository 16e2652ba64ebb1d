//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "contestants/several_locks.hpp"

#include <deque>
#include <utility>

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <holdfast.hpp>

#include "support/all_of.hpp"

namespace holdfast::bench {
namespace {

using leases = std::vector<lease>;

class several_locks : public contestant {
public:
    several_locks(servers const& on, std::string name, std::size_t count) : contestant(std::move(name)), count_(count)
    {
        for (redis_server const& s : on)
            clients_.emplace_back(context(), config{.url = s.url(), .log = [](auto, auto) {}}).run(asio::detached);
    }

    asio::awaitable<void> connect() final
    {
        for (auto& c : clients_)
            co_await c.ready();
    }

    void prepare(std::size_t contenders) override
    {
        for (auto n = locks_.size(); n < contenders; ++n)
            for (auto& of = locks_.emplace_back(); of.size() < count_;)
                of.emplace_back(
                    clients_[of.size() % clients_.size()],
                    "bench:" + name() + ":" + std::to_string(n) + ":" + std::to_string(of.size()));
    }

    asio::awaitable<void> contend(std::size_t number, heat& h) final
    {
        while (h.goes_on()) {
            leases held(count_);
            auto const requested = clock::now();
            co_await acquire(number, held);
            h.acquired(requested);
            co_await release(held);
        }
    }

protected:
    std::vector<mutex> const& locks(std::size_t number) const { return locks_[number]; }
    std::vector<client const*> clients() const
    {
        std::vector<client const*> all;
        for (auto const& c : clients_)
            all.push_back(&c);
        return all;
    }

private:
    virtual asio::awaitable<void> acquire(std::size_t number, leases& into) = 0;
    virtual asio::awaitable<void> release(leases&) = 0;

    std::size_t count_;
    std::deque<client> clients_;
    std::vector<std::vector<mutex>> locks_;
};

class one_by_one final : public several_locks {
    using several_locks::several_locks;

    asio::awaitable<void> acquire(std::size_t number, leases& into) override
    {
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] = co_await locks(number)[i].acquire();
    }
    asio::awaitable<void> release(leases& held) override
    {
        for (auto& l : held)
            co_await l.release();
    }
};

class at_once final : public several_locks {
    using several_locks::several_locks;

    asio::awaitable<void> acquire(std::size_t number, leases& into) override
    {
        co_await all_of(into.size(), [&](std::size_t i, auto done) {
            locks(number)[i].acquire([&into, i, done](error_code, lease l) {
                into[i] = std::move(l);
                done();
            });
        });
    }
    asio::awaitable<void> release(leases& held) override
    {
        co_await all_of(
            held.size(), [&](std::size_t i, auto done) { held[i].release([done](error_code) { done(); }); });
    }
};

class as_multi_lock final : public several_locks {
    using several_locks::several_locks;

    void prepare(std::size_t contenders) override
    {
        several_locks::prepare(contenders);
        for (auto n = all_.size(); n < contenders; ++n)
            all_.emplace_back(std::vector<any_lock>(locks(n).begin(), locks(n).end()));
    }
    asio::awaitable<void> acquire(std::size_t number, leases& into) override
    {
        into.front() = co_await all_[number].acquire();
    }
    asio::awaitable<void> release(leases& held) override { co_await held.front().release(); }

    std::vector<multi_lock> all_;
};

class as_red_lock final : public several_locks {
    using several_locks::several_locks;

    void prepare(std::size_t contenders) override
    {
        for (auto n = all_.size(); n < contenders; ++n)
            all_.emplace_back(
                clients(), "bench:" + name() + ":" + std::to_string(n), red_options{.trust_new_nodes = true});
    }
    asio::awaitable<void> acquire(std::size_t number, leases& into) override
    {
        into.front() = co_await all_[number].acquire();
    }
    asio::awaitable<void> release(leases& held) override { co_await held.front().release(); }

    std::vector<red_lock> all_;
};

}  // namespace

std::unique_ptr<contestant> make_several_mutexes(servers const& on, std::string name, std::size_t count, manner how)
{
    switch (how) {
        case manner::one_by_one: return std::make_unique<one_by_one>(on, std::move(name), count);
        case manner::at_once: return std::make_unique<at_once>(on, std::move(name), count);
        case manner::red_lock: return std::make_unique<as_red_lock>(on, std::move(name), count);
        default: return std::make_unique<as_multi_lock>(on, std::move(name), count);
    }
}

}  // namespace holdfast::bench
