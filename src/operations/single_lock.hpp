//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SINGLE_LOCK_HPP
#define HOLDFAST_SINGLE_LOCK_HPP

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/client.hpp>
#include <holdfast/error.hpp>

#include "client/client_state.hpp"
#include "core/lock_name.hpp"
#include "engine/hold/owner_state.hpp"
#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// A lock of one server: its client, its keys on the server, and the owner that contends for it. Immutable; made by
// the public constructors, shared by copies of a handle and by operations. It refers to its client weakly: a handle
// may outlive the client.
struct single_lock final : lock_impl {
    // What differs between the kinds of lock.
    struct traits {
        engine::lock_protocol const& protocol;
        std::string channel;
        std::string counter = {};  // empty: not fenced
        std::vector<std::string> companions = {};
        core::duration waiter_timeout = {};
        std::shared_ptr<engine::rw_rules const> rules = {};
        std::string_view weight = {};  // of a semaphore
        std::shared_ptr<engine::permit_rules> semaphore = {};
        std::shared_ptr<engine::candidacy> candidacy = {};
    };

    // `make_traits` is called with the lock's key, prefix included: derived keys and channels contain it. Sends
    // nothing, and does not throw for an invalid name: the operations complete with errc::invalid_name.
    template <class MakeTraits>
    static std::shared_ptr<single_lock const> make(
        client const& c, std::string_view name, std::shared_ptr<engine::owner_state> owner, MakeTraits make_traits)
    {
        auto const& prefix = c.state_->options().key_prefix;
        auto const key = prefix + std::string(name);
        traits t = make_traits(std::string_view(key));
        auto const flaw = flaw_of(name, key);
        engine::lock_spec::words const words{
            prefix,
            name,
            t.channel,
            t.counter,
            owner ? std::string_view(owner->label()) : std::string_view(),
            t.weight};
        engine::lock_spec lock(t.protocol, words, std::move(t.companions));
        lock.waiter_timeout = t.waiter_timeout;
        lock.rules = std::move(t.rules);
        lock.semaphore = std::move(t.semaphore);
        lock.candidacy = std::move(t.candidacy);
        lock.meters = &c.state_->meters_of(t.protocol.kind(), lock.name);
        return std::make_shared<single_lock const>(c.state_, std::move(lock), std::move(owner), flaw);
    }

    // Why a lock cannot have that name; empty: it can. `key`: the name with the client's prefix.
    static std::string_view flaw_of(std::string_view name, std::string_view key) noexcept;

    static config const& options_of(client const& c) { return c.state_->options(); }

    // Returns the owner. Throws std::invalid_argument if another client made it: its tenures live on the strand of that
    // client, and the two strands would use them at the same time.
    static std::shared_ptr<engine::owner_state> at_home(client const& c, std::shared_ptr<engine::owner_state> owner)
    {
        if (owner->home().lock() != c.state_)
            throw std::invalid_argument("owner: was made by another client");
        return owner;
    }

    single_lock(
        std::weak_ptr<client_state> h,
        engine::lock_spec l,
        std::shared_ptr<engine::owner_state> o,
        std::string_view flaw)
        : origin(std::move(h)), lock(std::move(l)), owner(std::move(o)), name_flaw(flaw)
    {}

    void accept(lock_visitor& v) const override { v.visit(*this); }
    lock_kind kind() const noexcept override { return lock.protocol->kind(); }
    std::string_view name() const noexcept override { return lock.name; }
    std::shared_ptr<client_state> home() const noexcept override { return origin.lock(); }
    void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const override;
    void query_locked(handler_at<void(error_code, bool)>) const override;
    void force_release(handler_at<void(error_code, bool)>) const override;
    void query_holders(handler_at<void(error_code, std::vector<holder>)>) const override;
    std::string extension_error(std::chrono::milliseconds) const override;

    std::weak_ptr<client_state> origin;
    engine::lock_spec lock;
    std::shared_ptr<engine::owner_state> owner;  // null: each acquire is a contender of its own
    std::string_view name_flaw;                  // of static duration; empty: the name is valid
};

// Shares ownership of the whole single_lock, without an allocation: contenders, tenures and queries
// may outlive the handle.
inline std::shared_ptr<engine::lock_spec const> lock_of(single_lock const& s) noexcept
{
    return {s.shared_from_this(), &s.lock};
}

// Only for the implementation of an election or a latch, which is always a single_lock.
inline single_lock const& single_lock_behind(std::shared_ptr<lock_impl const> const& of) noexcept
{
    return static_cast<single_lock const&>(*of);
}

}  // namespace holdfast::detail

#endif
