//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_STATE_HPP
#define HOLDFAST_LOCK_STATE_HPP

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/client.hpp>
#include <holdfast/error.hpp>

#include "client_state.hpp"
#include "core/lock_name.hpp"
#include "engine/lock_spec.hpp"
#include "engine/owner_state.hpp"
#include "engine/wire_form.hpp"

namespace holdfast::detail {

// What a handle is: where its client was, what the lock is called on the server, and for whom it contends.
struct lock_state {
    // `counter` makes the key of the fencing counter from the lock's key; null: not fenced. So does `companions` the
    // kind's further keys.
    static std::shared_ptr<lock_state const> make(
        client const& c,
        std::string_view name,
        engine::wire_form const& form,
        std::string (*counter)(std::string_view),
        std::shared_ptr<engine::owner_state> owner,
        std::vector<std::string> (*companions)(std::string_view) = nullptr,
        core::duration patience = {})
    {
        auto const key = c.state_->options().key_prefix + std::string(name);
        engine::lock_spec spec{
            .form = &form,
            .name = std::string(name),
            .key = key,
            .channel = core::unlock_channel(key),
            .counter = counter ? counter(key) : std::string(),
            .label = owner ? owner->label() : std::string(),
            .companions = companions ? companions(key) : std::vector<std::string>(),
            .patience = patience};
        auto const has_name = !name.empty() && core::is_valid_lock_name(key);
        return std::make_shared<lock_state const>(lock_state{
            c.state_, std::make_shared<engine::lock_spec const>(std::move(spec)), std::move(owner), has_name});
    }

    static bool is_home(client const& c, engine::owner_state const& owner) { return owner.home().lock() == c.state_; }

    std::weak_ptr<client_state> home;
    std::shared_ptr<engine::lock_spec const> lock;
    std::shared_ptr<engine::owner_state> owner;
    bool has_valid_name;
};

}  // namespace holdfast::detail

#endif
