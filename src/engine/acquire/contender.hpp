//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CONTENDER_HPP
#define HOLDFAST_ENGINE_CONTENDER_HPP

#include <memory>
#include <optional>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/hold/tenure.hpp"
#include "engine/port/request.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

class arbiter;
class batch_acquire;
class owner_state;

// One acquire that has not ended. Exactly one of the three outcomes is called, once, on the strand, when it is in no
// queue any more; none of them calls back into the engine.
class contender : public request, public core::deadline, public boost::intrusive::list_base_hook<> {
public:
    struct wish {
        std::shared_ptr<lock_spec const> lock;
        std::shared_ptr<owner_state> owner;
        engine::terms terms;
        std::optional<core::duration> wait;            // none: as long as it takes; zero: one attempt
        boost::intrusive_ptr<tenure> under = {};       // the write that becomes a read
        core::duration limit = core::duration::max();  // of one attempt: how long its answer may take
        bool needs_answer = false;                     // without an answer it is not busy, however short the limit was
    };

    explicit contender(wish w) : wish_(std::move(w)) {}

    // The tenure that it is granted next.
    virtual tenure* make_tenure(tenure::beginning) const = 0;
    virtual void granted(boost::intrusive_ptr<tenure>) = 0;
    virtual void busy() = 0;
    virtual void failed(boost::system::error_code) = 0;

    lock_spec const& lock() const noexcept { return *wish_.lock; }
    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return wish_.lock; }
    std::shared_ptr<owner_state> const& owner() const noexcept { return wish_.owner; }
    engine::terms const& terms() const noexcept { return wish_.terms; }
    std::optional<core::duration> wait() const noexcept { return wish_.wait; }
    boost::intrusive_ptr<tenure> const& under() const noexcept { return wish_.under; }
    core::duration limit() const noexcept { return wish_.limit; }
    // Whether it is unavailable, not busy, when it ends without an answer of the server. One attempt that was given all
    // the time that an answer may take owes its caller one, however slow the server usually is.
    bool needs_answer(core::instant now, core::duration command_timeout) const noexcept
    {
        return wish_.needs_answer || (is_one_shot() && now - joined >= command_timeout);
    }
    bool is_one_shot() const noexcept { return wish_.wait == core::duration::zero(); }

    bool is_queued() const noexcept { return home != nullptr; }

    // Whether it is an acquire of a user, who has not been told yet how it ended.
    bool is_counted() const noexcept { return !is_over_ && !terms().is_part && !under(); }
    // The user has been told.
    void be_over() noexcept { is_over_ = true; }

    // It is cancelled. Does nothing when it has no arbiter.
    void leave(boost::system::error_code why);

    // The arbiter at which it waits.
    arbiter* home = nullptr;
    core::instant joined{};
    // Since when the server owes the answer to that extension; never: it owes none.
    core::instant extension_asked = core::never;
    // With which its try leaves, if it is sent while the others join.
    batch_acquire* batch = nullptr;
    // It waits there for an extension of what its owner holds, outside the queue.
    bool is_entering = false;

    void on_due(core::instant now) override;

protected:
    // On the strand, before it joins.
    void ask_for(engine::terms const& t) noexcept { wish_.terms = t; }

private:
    bool is_over_ = false;
    wish wish_;
};

}  // namespace holdfast::engine

#endif
