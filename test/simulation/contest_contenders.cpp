//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// What the contenders of a contest do: acquire a lock in any way, hold it for a time, and release it in any way.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/response_time.hpp"
#include "engine/hold/grant.hpp"
#include "simulation/contest_run.hpp"
#include "support/tenure_of.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Whether a server or a process may be unreachable for a time, or the answer of one may not count, so that a wait may
// end before a reply.
bool has_outages(contest_options const& o) noexcept
{
    // The session to a primary starts with the first lock there.
    return o.primaries > 0 || has_faults(o);
}

}  // namespace

asio::awaitable<void> contest::contend(participant& p, unsigned id)
{
    auto const holder = p.where->name() + "." + std::to_string(id);
    auto const owner = p.client->make_owner();
    for (unsigned round = 0; round < options_.rounds; ++round) {
        auto const n = static_cast<unsigned>(luck().below(options_.locks));
        auto const kind = kinds_[n];
        if (kind == contested_kind::read_write) {
            co_await take_side(p, n, owner, holder);
            continue;
        }
        bool const fenced = kind == contested_kind::fenced_mutex || kind == contested_kind::fenced_reentrant
                            || kind == contested_kind::fenced_fair;
        if (kind == contested_kind::fair || kind == contested_kind::fenced_fair)
            co_await take(p, make_fair(p, n, fenced), holder);
        else if (kind == contested_kind::mutex || kind == contested_kind::fenced_mutex)
            co_await take(p, mutex(*p.client, lock_name(n), {.fencing = fenced}), holder);
        else
            co_await take(p, reentrant_lock(*p.client, lock_name(n), owner, {.fencing = fenced}), holder);
        if (luck().happens(0.3))
            co_await p.where->sleep(luck().between(0ms, 20ms), asio::use_awaitable);
    }
}

fair_lock contest::make_fair(participant& p, unsigned n, bool is_fenced) const
{
    return {*p.client, lock_name(n), {.fencing = is_fenced, .waiter_timeout = options_.waiter_timeout}};
}

template <class Lock>
asio::awaitable<void> contest::take(participant& p, Lock lock, std::string holder)
{
    auto l = co_await acquire(p, lock);
    if (!l.empty())
        co_await hold(p, std::move(l), holder);
}

// A completion token whose operation is sometimes cancelled, at a random moment, with any of the three types.
auto contest::cancellable(participant& p, error_code& ec)
{
    auto& signal = simulation_.world().new_signal();
    if (luck().happens(options_.cancel)) {
        auto const type = static_cast<asio::cancellation_type>(1u << luck().below(3));
        auto const when = luck().happens(0.5) ? luck().between(0us, 3ms) : luck().between(0ms, 200ms);
        simulation_.world().at(simulation_.now() + when, [&p, &signal, type] {
            asio::post(p.where->get_executor(), [&signal, type] { signal.emit(type); });
        });
    }
    return asio::bind_cancellation_slot(signal.slot(), asio::redirect_error(asio::use_awaitable, ec));
}

// Whether a wait that begins now may end as unavailable: only because of an outage, because the first connection is
// not open, or because no reply has yet shown that the network is slower than a client assumes. An acquire may take
// several commands before its first reply, if the script is not loaded.
bool contest::may_be_unavailable(participant const& p) const
{
    bool const is_slow = 8 * options_.network.delay.most > core::response_time::least_answer_timeout;
    bool const was_answered = p.client->stats().round_trip.count > 0;
    return has_outages(options_) || !p.is_connected || (is_slow && !was_answered);
}

void contest::check_end(std::string_view lock, error_code ec, bool may_be_unavailable)
{
    if (ec == errc::unavailable && !may_be_unavailable)
        throw std::runtime_error("acquire of " + std::string(lock) + ": unavailable, but nothing was wrong");
    if (ec && ec != asio::error::operation_aborted && ec != errc::unavailable)
        throw std::runtime_error("acquire of " + std::string(lock) + ": " + ec.message());
}

template <class Lock>
asio::awaitable<lease> contest::acquire(participant& p, Lock const& lock)
{
    error_code ec;
    lease l;
    auto const start = simulation_.now();
    ++p.started;
    auto const lease_time = std::chrono::milliseconds(200 + luck().below(2'000));
    auto const way = luck().below(6);
    bool const is_limited = way <= 1;  // the others wait for the connection
    bool const is_excused = is_limited ? may_be_unavailable(p) : has_outages(options_);
    auto const least = options_.at_least > 0ms ? std::optional(options_.at_least) : std::nullopt;
    switch (way) {
        case 0: l = co_await lock.try_acquire({.at_least = least}, cancellable(p, ec)); break;
        case 1:
            l = co_await lock.try_acquire(
                {.wait = std::chrono::milliseconds(1 + luck().below(300)), .at_least = least}, cancellable(p, ec));
            break;
        case 2: l = co_await lock.acquire({.lease = lease_time, .at_least = least}, cancellable(p, ec)); break;
        case 3:
            l = co_await lock.acquire({.lease = lease_time, .renew = true, .at_least = least}, cancellable(p, ec));
            break;
        default: l = co_await lock.acquire({.at_least = least}, cancellable(p, ec)); break;
    }
    waits_.push_back(
        {std::string(lock.name()),
         p.where->name(),
         start.time_since_epoch().count(),
         simulation_.now().time_since_epoch().count()});
    if (!l.empty() && options_.data_is_safe && !(cluster_ && options_.fail_overs > 0))
        check_validity(l);
    result_.busy += !ec && l.empty();
    result_.cancelled += ec == asio::error::operation_aborted;
    check_end(lock.name(), ec, is_excused);
    co_return l;
}

asio::awaitable<void> contest::hold(participant& p, lease l, std::string holder, bool shared)
{
    auto const from = simulation_.now();
    ++result_.grants;
    ++result_.grants_of[p.where->name()];
    auto const to = co_await spend_time(p, l);
    if (options_.config.acknowledged_by > 0)
        check_validity(l);
    record(l, std::move(holder), from, to, shared);
    if (luck().happens(0.3))
        co_return;  // the destructor releases
    error_code ec;
    co_await l.release(cancellable(p, ec));
}

// Returns when it ends, or when the loss of the lease was noticed.
asio::awaitable<core::instant> contest::spend_time(participant& p, lease& l)
{
    auto end = simulation_.now();
    std::optional<core::instant> lost;
    if (options_.longest_hold > 0ms)
        end += luck().happens(0.02) ? options_.long_hold : luck().between(0ms, options_.longest_hold);
    while (simulation_.now() < end) {
        co_await p.where->sleep(std::min<core::duration>(end - simulation_.now(), 50ms), asio::use_awaitable);
        if (!lost && !l.valid())
            lost = simulation_.now();
    }
    if (luck().happens(0.05)) {
        error_code ec;
        co_await l.extend(std::chrono::milliseconds(100 + luck().below(1'000)), cancellable(p, ec));
    }
    co_return lost.value_or(simulation_.now());
}

// Records the interval of a hold, up to the end of its validity.
void contest::record(lease const& l, std::string holder, core::instant from, core::instant to, bool shared)
{
    auto const& tenure = tenure_of(l);
    to = std::min(to, tenure.valid_until());
    if (tenure.state() == lease_state::lost) {
        ++result_.lost;
        holder += lost_mark;
    }
    tokens_.emplace_back(tenure.held_grant ? tenure.held_grant->token() : std::string_view());
    holds_.push_back(
        {std::string(tenure.lock().name),
         std::move(holder),
         from.time_since_epoch().count(),
         to.time_since_epoch().count(),
         shared ? 0 : tenure.fence(),
         shared});
}

asio::awaitable<void> contest::take_side(participant& p, unsigned n, owner me, std::string holder)
{
    bool const is_owned = luck().happens(0.5);
    read_write_lock const lock = is_owned ? read_write_lock(*p.client, lock_name(n), me, rw_options_[n])
                                          : read_write_lock(*p.client, lock_name(n), rw_options_[n]);
    if (luck().happens(0.3))
        co_return co_await write(p, lock, is_owned, std::move(holder));
    auto l = co_await acquire(p, lock.read());
    if (!l.empty())
        co_await hold(p, std::move(l), std::move(holder), true);
}

// Holds the write side. At random, the owner also acquires a read, which may last longer, or downgrades the write.
asio::awaitable<void> contest::write(participant& p, read_write_lock lock, bool reads_too, std::string holder)
{
    auto l = co_await acquire(p, lock.write());
    if (l.empty())
        co_return;
    auto const from = simulation_.now();
    ++result_.grants;
    ++result_.grants_of[p.where->name()];
    auto to = co_await spend_time(p, l);
    lease after;
    error_code ec;
    auto const way = luck().below(4);
    if (way == 0)
        after = co_await l.downgrade(cancellable(p, ec));
    else if (way == 1 && reads_too) {
        ++p.started;
        bool const is_excused = may_be_unavailable(p);
        after = co_await lock.read().try_acquire({.wait = 200ms}, cancellable(p, ec));
        check_end(lock.read().name(), ec, is_excused);
    }
    // During the downgrade others may have begun to read, but not to write.
    if (l.empty())
        record(l, holder, to, simulation_.now(), true);
    else if (tenure_of(l).state() != lease_state::lost)
        to = simulation_.now();
    record(l, holder, from, to, false);
    if (!l.empty() && luck().happens(0.7))
        co_await l.release(cancellable(p, ec));
    l = lease();
    if (!after.empty())
        co_await hold(p, std::move(after), std::move(holder), true);
}

}  // namespace holdfast::test
