//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_GRANT_HPP
#define HOLDFAST_ENGINE_GRANT_HPP

#include <memory>
#include <optional>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "core/token.hpp"
#include "core/validity.hpp"
#include "engine/lock_spec.hpp"

namespace holdfast::engine {

class arbiter;
class renewer;
class tenure;

// What Redis records: one token under the lock's key. Belongs to an arbiter, which seeks it for the head of its queue;
// while somebody holds it, the renewer watches it; then the releaser has its token deleted.
class grant final : public core::deadline,
                    public boost::intrusive::list_base_hook<>,
                    public boost::intrusive_ref_counter<grant, boost::thread_unsafe_counter> {
public:
    grant(std::shared_ptr<lock_spec const> lock, core::token token, core::duration lease)
        : lock_(std::move(lock)), token_(std::move(token)), lease_(lease)
    {}

    lock_spec const& lock() const noexcept { return *lock_; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return lock_; }
    std::string_view token() const noexcept { return token_.text(); }

    // What each renewal sets. Only a longer one is ever taken.
    core::duration lease() const noexcept { return lease_; }
    void lengthen(core::duration lease) noexcept { lease_ = std::max(lease_, lease); }

    core::instant valid_until() const noexcept { return valid_until_; }
    core::instant confirmed() const noexcept { return confirmed_; }
    // A reply showed that a time to live of `lease`, sent then, holds.
    void confirm(core::instant sent, core::duration lease) noexcept
    {
        confirmed_ = std::max(confirmed_, sent);
        valid_until_ = std::max(valid_until_, core::valid_until(sent, lease));
    }

    // A release of the token was queued: no acquire, renewal or hand-off uses it again.
    bool is_retired() const noexcept { return retired_; }
    void retire() noexcept { retired_ = true; }

    std::uint64_t fence = 0;

    // ---- the renewer's
    tenure* holder = nullptr;
    arbiter* home = nullptr;
    renewer* watcher = nullptr;
    std::optional<core::instant> asked_since;  // the first renewal without an answer yet
    core::instant asked_last{};
    bool at_risk = false;

    void on_due(core::instant now) override;

private:
    std::shared_ptr<lock_spec const> const lock_;
    core::token const token_;
    core::duration lease_;
    core::instant confirmed_ = core::instant::min();
    core::instant valid_until_ = core::instant::min();
    bool retired_ = false;
};

}  // namespace holdfast::engine

#endif
