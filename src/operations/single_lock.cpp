//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/single_lock.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/pooled.hpp"
#include "engine/acquire/contender_result.hpp"
#include "engine/port/command.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "operations/attended_campaign.hpp"
#include "operations/lease_limit.hpp"
#include "operations/lock_query.hpp"
#include "operations/query.hpp"
#include "operations/single_lease.hpp"
#include "operations/value_limit.hpp"

namespace holdfast::detail {
namespace {

using lease_handler = handler_at<void(error_code, lease)>;

// acquire() and try_acquire(). The operation is the contender itself: no further object for an acquire that waits.
class acquire_operation final : public core::pooled<acquire_operation>, public operation<lease_contender, lease> {
public:
    acquire_operation(lease_handler h, std::shared_ptr<client_state> const& home, wish w)
        : operation(std::move(h), home, std::move(w))
    {}

    // A contender ends exactly once, even after a cancellation. Then the lease is destroyed in finish(), which releases
    // the lock.
    void acquired(lease l) override { finish({}, std::move(l)); }
    // try_acquire() completes with success and an empty lease.
    void busy() override { finish({}, lease()); }
    void failed(described_error ec) override { finish(std::move(ec), lease()); }

private:
    std::string_view subject() const noexcept override { return lock().name; }
    void begin(engine::client_engine& c) override { c.join(*this); }
    void cancel(engine::client_engine& c) override
    {
        if (is_queued())
            leave(asio::error::operation_aborted);
        else {
            call_off(c.runtime(), *this);
            complete(asio::error::operation_aborted, lease());
        }
    }
};

// The queries of a lock. The lock's protocol determines the command and the meaning of the reply.
class is_locked_query final : public query<bool> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form) override { lock().protocol->query_locked(to, *this, lock()); }
    bool read(engine::reply const& r) override { return lock().protocol->says_locked(r); }
};

class force_release_query final : public query<bool> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        lock().protocol->force_release(to, *this, lock(), form);
    }
    bool read(engine::reply const& r) override { return r.integer != 0; }
};

class holders_query final : public query<std::vector<holder>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        lock().protocol->query_holders(to, *this, lock(), next_, form);
    }
    bool has_more(engine::reply const& r) override
    {
        next_ = lock().protocol->next_part(r);
        for (auto item : items_.empty() || r.items.empty() ? r.items : r.items.subspan(1)) {
            item.text = texts_.emplace_back(item.text);
            items_.push_back(item);
        }
        return next_ != engine::lock_protocol::first_part;
    }
    std::vector<holder> read(engine::reply const&) override
    {
        std::vector<holder> all;
        for (auto const& h : lock().protocol->read_holders({.type = engine::reply::kind::array, .items = items_}))
            all.push_back(to_holder(h));
        return all;
    }

    std::string next_{engine::lock_protocol::first_part};
    std::vector<engine::reply> items_;  // of all parts
    std::deque<std::string> texts_;     // of the items; they stay where they are
};

// A grant of several permits has a lock_spec of its own, with its weight.
std::shared_ptr<engine::lock_spec const> lock_for(single_lock const& s, unsigned weight)
{
    if (weight == 1 || !s.lock.protocol->has_permits())
        return lock_of(s);
    return std::make_shared<engine::lock_spec const>(s.lock.with_weight(std::to_string(weight)));
}

// Why a lock of that kind cannot be acquired with these terms; empty: it can.
std::string terms_error(single_lock const& of, engine::terms const& t, unsigned weight)
{
    constexpr auto none = core::duration::zero();
    if (weight > 1 && of.lock.is_fenced() && of.lock.protocol->has_permits())
        return "weight: must be 1 of a numbered semaphore";
    if (t.at_least > none && !of.lock.protocol->can_stay_taken())
        return "at_least: not an option of this kind of lock";
    if (t.max_hold > none && t.at_least > t.max_hold)
        return "at_least: must not be longer than max_hold";
    if (auto const what = of.lock.candidacy ? value_error(of.lock.candidacy->value) : ""; !what.empty())
        return std::string(what);
    return of.extension_error(std::chrono::ceil<std::chrono::milliseconds>(t.lease));
}

}  // namespace

std::string_view single_lock::flaw_of(std::string_view name, std::string_view key) noexcept
{
    if (name.empty() || !core::is_valid_lock_name(key))
        return "the name must have 1 to 512 bytes with the prefix, and keep the keys in one hash slot";
    return core::is_derived_key(key) ? "the name is that of a key which belongs to another lock" : "";
}

described_error precondition_error(single_lock const& lock, std::shared_ptr<client_state> const& c)
{
    if (!c || !c->is_alive())
        return named(errc::client_stopped, lock.lock.name);
    if (lock.name_flaw.empty())
        return {};
    return c->remember(errc::invalid_name, in_quotes(lock.lock.name).append(": ").append(lock.name_flaw));
}

// A lease time that is given means a fixed lease, unless `renew` is set.
engine::terms to_terms(acquire_request const& r, config const& defaults) noexcept
{
    return {
        .lease = r.lease.value_or(defaults.lease),
        .max_hold = r.max_hold.value_or(defaults.max_hold),
        .renewed = !r.lease || r.renew,
        .priority = static_cast<std::uint8_t>(r.priority),
        .is_part = r.is_part,
        .at_least = r.at_least.value_or(std::chrono::milliseconds(0))};
}

// A reader of Holdfast may have the label "write": so the mark is removed only from the token of a writer.
holder to_holder(engine::holding const& h)
{
    constexpr std::string_view writer_mark = ":write";
    auto const first = h.id.find(':');
    auto const second = first == h.id.npos ? h.id.npos : h.id.find(':', first + 1);
    auto label = second == h.id.npos ? std::string_view() : h.id.substr(second);
    if (h.is_writer && label.starts_with(writer_mark))
        label.remove_prefix(writer_mark.size());
    label.remove_prefix(label.empty() ? 0 : 1);
    return {
        .id = std::string(h.id.substr(0, second)),
        .label = std::string(label),
        .writer = h.is_writer,
        .remaining = h.remaining,
        .weight = h.weight,
        .number = h.number};
}

std::string single_lock::extension_error(std::chrono::milliseconds lease) const
{
    return lease_error(lock, lease);
}

// Invalid arguments complete as if posted, like any other result: the caller needs only one way to handle errors.
void single_lock::acquire(lease_handler h, acquire_request const& request) const
{
    auto const c = home();
    if (auto const ec = precondition_error(*this, c))
        return complete_early<lease>(std::move(h), ec, {});
    if (auto const* what = validation_error(request))
        return complete_early<lease>(std::move(h), c->refuse(lock.name, what), {});
    auto const terms = to_terms(request, c->options());
    if (auto const what = terms_error(*this, terms, request.weight); !what.empty())
        return complete_early<lease>(std::move(h), c->refuse(lock.name, what), {});
    acquire_operation::wish wish{lock_for(*this, request.weight), owner, terms, request.wait};
    wish.requires_connection = request.require_connection;
    if (!request.is_part)
        wish.context = c->initiated(kind(), lock.name, engine::label_of(owner));
    if (lock.candidacy && must_attend(*lock.candidacy))
        return launch_attended_campaign(c, std::move(h), std::move(wish));
    launch<acquire_operation>(c, std::move(h), std::move(wish));
}

void single_lock::query_locked(handler_at<void(error_code, bool)> h) const
{
    launch_query<is_locked_query>(*this, std::move(h));
}

void single_lock::force_release(handler_at<void(error_code, bool)> h) const
{
    launch_query<force_release_query>(*this, std::move(h));
}

void single_lock::query_holders(handler_at<void(error_code, std::vector<holder>)> h) const
{
    launch_query<holders_query>(*this, std::move(h));
}

}  // namespace holdfast::detail
