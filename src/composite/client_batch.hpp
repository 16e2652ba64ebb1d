//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_BATCH_HPP
#define HOLDFAST_CLIENT_BATCH_HPP

#include <cstddef>
#include <memory>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <holdfast/lease.hpp>

#include "client/client_state.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/port/request.hpp"

namespace holdfast::detail {

// Receives the results of attempts on several locks.
class attempts : public boost::intrusive_ref_counter<attempts, boost::thread_safe_counter> {
public:
    virtual ~attempts() = default;

    // Thread-safe. May be called by the engine.
    virtual void end(std::size_t place, error_code, lease got) = 0;
    // Cancels the attempts that are under way; they complete with operation_aborted. Thread-safe after the launch.
    virtual void call_off() noexcept = 0;
};

class single_try;

// The attempts on locks of one client: they reach its strand in one message, and are cancelled by one.
class client_batch final : public core::pooled<client_batch>, public engine::request {
public:
    // `all_or_none`: the locks are tried in one script where possible; if one of them is taken, the others are
    // cancelled.
    client_batch(std::shared_ptr<client_state> const& home, bool all_or_none);
    ~client_batch();

    bool is_of(std::shared_ptr<client_state> const& client) const noexcept
    {
        return !home_.owner_before(client) && !client.owner_before(home_);
    }
    void add(boost::intrusive_ptr<attempts> of, std::size_t place, engine::contender::wish);

    // Thread-safe. If the client has been destroyed, the attempts complete with errc::client_stopped.
    void start() noexcept;
    void ask_to_cancel() noexcept;

private:
    struct cancellation final : engine::message {
        explicit cancellation(client_batch& p) noexcept : of(p) {}
        void deliver(engine::client_engine&) override
        {
            boost::intrusive_ptr<client_batch> const keep(&of, false);
            of.give_up();
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        client_batch& of;
    };

    bool post(engine::message&) noexcept;
    void fail_all(error_code);
    void deliver(engine::client_engine&) override;
    void discard() noexcept override;
    void join_together(engine::client_engine&);
    void give_up();

    std::weak_ptr<client_state> home_;
    bool all_or_none_;
    boost::container::small_vector<boost::intrusive_ptr<single_try>, 8> tries_;
    cancellation cancellation_{*this};
};

}  // namespace holdfast::detail

#endif
