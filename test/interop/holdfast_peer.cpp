//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Holdfast's counterpart of RedissonPeer.java: the same protocol, by the public API. Besides:
//     < ID downgrade write NAME THREAD                    > ID AT downgraded
//     < ID leader election NAME                           > ID AT here  or  mute  or  nobody
// An even THREAD acquires two permits of a semaphore, and of `permits` there is no `set`.
//
//     holdfast_peer URL LEASE_MS WAITER_TIMEOUT_MS

#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include <holdfast.hpp>

namespace {

using namespace holdfast;
using std::chrono::milliseconds;

void reply(std::string const& id, std::string const& said)
{
    std::cout << id << " " << std::chrono::steady_clock::now().time_since_epoch().count() << " " << said << std::endl;
}

std::string yes_or_no(bool b)
{
    return b ? "true" : "false";
}

struct request {
    std::string id, verb, kind, name;
    int thread = 0;
    milliseconds lease{-1};
    milliseconds wait{-1};

    std::string key() const { return kind + " " + name + " " + std::to_string(thread); }
};

request parse(std::string const& line)
{
    std::istringstream words(line);
    request r;
    long lease = -1;
    long wait = -1;
    words >> r.id >> r.verb >> r.kind >> r.name >> r.thread >> lease >> wait;
    r.lease = milliseconds(words ? lease : -1);
    r.wait = milliseconds(words ? wait : -1);
    return r;
}

class peer {
public:
    peer(client& c, milliseconds peer_watchdog, milliseconds waiter_timeout)
        : client_(c), peer_watchdog_(peer_watchdog), waiter_timeout_(waiter_timeout)
    {}

    void answer(request const& r)
    {
        if (r.kind == "latch")
            answer_latch(r);
        else if (r.verb == "leader")
            answer_leader(r);
        else if (r.kind == "permits" && r.verb != "release" && r.verb != "held")
            answer_permits(r);
        else if (r.verb == "acquire")
            acquire(r);
        else if (r.verb == "release")
            release(r);
        else if (r.verb == "downgrade")
            downgrade(r);
        else if (r.verb == "held")
            reply(r.id, yes_or_no(!leases_[r.key()].empty() && leases_[r.key()].back().valid()));
        else if (r.verb == "locked")
            lock_of(r).is_locked([r](error_code ec, bool yes) { reply_result(r, ec, yes_or_no(yes)); });
        else if (r.verb == "force")
            lock_of(r).force_release([r](error_code ec, bool yes) { reply_result(r, ec, yes_or_no(yes)); });
        else
            reply(r.id, "failed unknown verb");
    }

private:
    static void reply_result(request const& r, error_code ec, std::string const& said)
    {
        reply(r.id, ec ? "failed " + ec.message() : said);
    }

    auto keep_lease(request const& r)
    {
        return [this, r](error_code ec, lease l) {
            if (ec || l.empty())
                return reply_result(r, ec, "busy");
            auto const token = l.fencing_token();
            leases_[r.key()].push_back(std::move(l));
            reply(r.id, token ? "granted " + std::to_string(*token) : "granted");
        };
    }

    // The number stands in the place of the thread.
    void answer_latch(request const& r)
    {
        latch const l(client_, r.name);
        auto const number = static_cast<unsigned>(r.thread);
        if (r.verb == "set")
            l.set(number, [r](error_code ec, bool yes) { reply_result(r, ec, yes_or_no(yes)); });
        else if (r.verb == "down")
            l.count_down([r](error_code ec, unsigned) { reply_result(r, ec, "done"); });
        else if (r.verb == "count")
            l.count([r](error_code ec, unsigned left) { reply_result(r, ec, std::to_string(left)); });
        else if (r.verb == "remove")
            l.remove([r](error_code ec, bool yes) { reply_result(r, ec, yes_or_no(yes)); });
        else
            l.wait([r](error_code ec, bool) {
                reply_result(r, ec == errc::latch_removed ? error_code() : ec, ec ? "removed" : "open");
            });
    }

    // The value of the leader, "mute", or "nobody".
    void answer_leader(request const& r)
    {
        election(client_, r.name).current([r](error_code ec, std::optional<leader> const& now) {
            auto const leads = now && now->term > 0 ? now->value : "mute";
            reply_result(r, ec, now ? leads : "nobody");
        });
    }

    // Without permits of its own: Redisson's peer, or `resize`, creates the semaphore.
    void answer_permits(request const& r)
    {
        semaphore const s(client_, r.name, {.with_redisson = true});
        auto const done = [r](error_code ec, permit_count) { reply_result(r, ec, "done"); };
        auto const count = [r](error_code ec, permit_count c) {
            std::int64_t const total = c.total;
            reply_result(r, ec, std::to_string(r.verb == "total" ? total : c.free));
        };
        if (r.verb == "resize")
            s.set_permits(static_cast<unsigned>(r.thread), done);
        else if (r.verb == "acquire")
            acquire_permits(r, s);
        else
            s.permits(count);
    }

    // Of an even thread two permits.
    void acquire_permits(request const& r, semaphore const& s)
    {
        permit_try_options o{.wait = r.wait, .weight = r.thread % 2 == 0 ? 2U : 1U};
        if (r.lease.count() >= 0)
            o.lease = r.lease;
        if (r.wait.count() < 0)
            s.acquire({.lease = o.lease, .weight = o.weight}, keep_lease(r));
        else
            s.try_acquire(o, keep_lease(r));
    }

    any_lock lock_of(request const& r)
    {
        auto const owner = owner_of(r.thread);
        if (r.kind == "election")
            return detail::make_candidate(election(client_, r.name), "here", 5);
        if (r.kind == "fair")
            return fair_lock(client_, r.name, owner, {.waiter_timeout = waiter_timeout_});
        if (r.kind == "read")
            return read_write_lock(client_, r.name, owner, {.peer_watchdog = peer_watchdog_}).read();
        if (r.kind == "write")
            return read_write_lock(client_, r.name, owner, {.peer_watchdog = peer_watchdog_}).write();
        return reentrant_lock(client_, r.name, owner, {.fencing = r.kind == "fenced"});
    }

    // Every other owner has a label, which makes its holder longer, as Redisson's transactional locks do.
    owner owner_of(int thread)
    {
        auto const label = thread % 2 ? "" : "transaction-7";
        return owners_.try_emplace(thread, client_.make_owner(label)).first->second;
    }

    void acquire(request const& r)
    {
        acquire_options options;
        if (r.lease.count() >= 0)
            options.lease = r.lease;
        if (r.wait.count() < 0)
            lock_of(r).acquire(options, keep_lease(r));
        else
            lock_of(r).try_acquire({.wait = r.wait, .lease = options.lease}, keep_lease(r));
    }

    void release(request const& r)
    {
        auto& held = leases_[r.key()];
        if (held.empty())
            return reply(r.id, "failed not held");
        auto last = std::move(held.back());
        held.pop_back();
        last.release([r](error_code ec) { reply_result(r, ec, "released"); });
    }

    // Downgrades the write to a read of the same thread.
    void downgrade(request const& r)
    {
        auto& writes = leases_[r.key()];
        if (writes.empty())
            return reply(r.id, "failed not held");
        auto reads = r;
        reads.kind = "read";
        writes.back().downgrade([this, r, reads](error_code ec, lease l) {
            if (!ec) {
                leases_[r.key()].pop_back();
                leases_[reads.key()].push_back(std::move(l));
            }
            reply_result(r, ec, "downgraded");
        });
    }

    client& client_;
    milliseconds peer_watchdog_;
    milliseconds waiter_timeout_;
    std::map<int, owner> owners_;
    std::map<std::string, std::vector<lease>> leases_;  // by kind, name, thread; re-entries behind the hold they enter
};

class reader {
public:
    reader(asio::io_context& c, peer& p) : context_(c), input_(c, ::dup(STDIN_FILENO)), peer_(p) {}

    void next()
    {
        asio::async_read_until(input_, asio::dynamic_buffer(text_), '\n', [this](error_code ec, std::size_t n) {
            if (ec)
                return context_.stop();
            peer_.answer(parse(text_.substr(0, n)));
            text_.erase(0, n);
            next();
        });
    }

private:
    asio::io_context& context_;
    asio::posix::stream_descriptor input_;
    std::string text_;
    peer& peer_;
};

}  // namespace

int main(int count, char** words)
{
    if (count != 4)
        return 64;
    asio::io_context context;
    config options;
    options.url = words[1];
    options.lease = milliseconds(std::atoi(words[2]));
    options.log = [](log_level level, std::string_view line) {
        if (level >= log_level::warning)
            std::cerr << line << std::endl;
    };
    client c(context, options);
    c.run(asio::detached);
    c.ready([&](error_code ec) { reply("0", ec ? "failed " + ec.message() : "ready " + std::string(c.id())); });
    peer p(c, options.lease, milliseconds(std::atoi(words[3])));
    reader r(context, p);
    r.next();
    context.run();
    std::_Exit(0);  // the locks expire, as those of a killed process
}
