//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Holdfast and the baselines, as peers with the protocol of bench/peers/README.md.
//
//     holdfast_bench_peer HOST:PORT[,HOST:PORT...] MODE
//
// mutex, reentrant, fair, readers_95, readers_50, semaphore_N (N permits), election; red, over all servers; ping,
// two_pings, bare_mutex, bare_fair, bare_permit, channel
#include <charconv>
#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <boost/asio/detached.hpp>

#include <holdfast.hpp>

#include "peers/holdfast/dialogue.hpp"
#include "peers/holdfast/yardsticks.hpp"

namespace holdfast::bench {
namespace {

void log(log_level level, std::string_view line)
{
    if (level >= log_level::warning)
        std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

unsigned number_after(std::string_view mode, char mark)
{
    unsigned number = 0;
    std::from_chars(mode.data() + mode.find(mark) + 1, mode.data() + mode.size(), number);
    return number;
}

class our_locks {
public:
    static std::string version()
    {
        return std::to_string(HOLDFAST_VERSION / 10000) + "." + std::to_string(HOLDFAST_VERSION / 100 % 100) + "."
               + std::to_string(HOLDFAST_VERSION % 100);
    }
    static constexpr auto lacks = "";
    using held = lease;

    our_locks(asio::io_context& c, std::string const& address, std::string mode)
        : client_(c, {.url = "redis://" + address, .log = log}), mode_(std::move(mode))
    {
        client_.run(asio::detached);
    }

    any_lock make(std::string const& name) const
    {
        if (mode_ == "fair")
            return fair_lock(client_, name);
        if (mode_ == "reentrant")
            return reentrant_lock(client_, name, client_.make_owner());
        if (mode_.starts_with("semaphore_"))
            return semaphore(client_, name, {.permits = number_after(mode_, '_'), .fair = mode_.ends_with("_fair")});
        return mutex(client_, name);
    }

    asio::awaitable<void> ready() { co_await client_.ready(); }
    auto acquire(any_lock const& lock) const { return lock.acquire(); }
    auto release(lease& l) const { return l.release(); }

protected:
    client const& connected() const { return client_; }

private:
    client client_;
    std::string mode_;
};

// `percent` of all acquires of the process read, evenly distributed; the others write.
class our_readers : public our_locks {
public:
    our_readers(asio::io_context& c, std::string const& address, unsigned percent)
        : our_locks(c, address, "readers"), period_(100 / (100 - percent))
    {}

    read_write_lock make(std::string const& name) const { return {connected(), name}; }

    asio::awaitable<lease> acquire(read_write_lock const& lock)
    {
        any_lock const side = ++acquires_ % period_ == 0 ? any_lock(lock.write()) : any_lock(lock.read());
        co_return co_await side.acquire();
    }

private:
    unsigned period_;
    unsigned acquires_ = 0;
};

// The release of a leadership is its resignation.
class our_elections : public our_locks {
public:
    using our_locks::our_locks;
    using held = leadership;

    election make(std::string const& name) const { return {connected(), name}; }
    auto acquire(election const& e) const { return e.campaign("10.0.0.7:9000"); }
    auto release(leadership& me) const { return me.resign(); }
};

// The servers have just been started, so the red_lock must count new servers.
class our_red_locks {
public:
    static std::string version() { return our_locks::version(); }
    static constexpr auto lacks = our_locks::lacks;
    using held = lease;

    our_red_locks(asio::io_context& c, std::string const& addresses)
    {
        std::istringstream all(addresses);
        for (std::string one; std::getline(all, one, ',');)
            clients_.emplace_back(c, config{.url = "redis://" + one, .log = log}).run(asio::detached);
    }

    red_lock make(std::string const& name) const
    {
        std::vector<client const*> all;
        for (auto const& c : clients_)
            all.push_back(&c);
        return {all, name, {.trust_new_nodes = true}};
    }

    asio::awaitable<void> ready()
    {
        for (auto& c : clients_)
            co_await c.ready();
    }
    auto acquire(red_lock const& lock) const { return lock.acquire(); }
    auto release(lease& l) const { return l.release(); }

private:
    std::deque<client> clients_;
};

template <class Locks>
void converse(asio::io_context& context, Locks& locks)
{
    dialogue<Locks> talk(context, locks);
    asio::co_spawn(context, locks.ready(), [&](std::exception_ptr e) { e ? std::_Exit(EXIT_FAILURE) : talk.start(); });
    context.run();
}

void converse(std::string const& address, std::string const& mode)
{
    asio::io_context context(1);
    if (mode == "ping") {
        pings locks(context, address);
        converse(context, locks);
    } else if (mode == "two_pings") {
        two_pings locks(context, address);
        converse(context, locks);
    } else if (mode == "bare_mutex") {
        bare_mutexes locks(context, address);
        converse(context, locks);
    } else if (mode == "bare_fair") {
        bare_fair_locks locks(context, address);
        converse(context, locks);
    } else if (mode == "bare_permit") {
        bare_permits locks(context, address);
        converse(context, locks);
    } else if (mode == "channel") {
        channels locks(context);
        converse(context, locks);
    } else if (mode == "red") {
        our_red_locks locks(context, address);
        converse(context, locks);
    } else if (mode == "election") {
        our_elections locks(context, address, mode);
        converse(context, locks);
    } else if (mode.starts_with("readers_")) {
        our_readers locks(context, address, number_after(mode, '_'));
        converse(context, locks);
    } else {
        our_locks locks(context, address, mode);
        converse(context, locks);
    }
}

}  // namespace
}  // namespace holdfast::bench

int main(int count, char** words)
{
    if (count != 3)
        return 64;
    holdfast::bench::converse(words[1], words[2]);
}
