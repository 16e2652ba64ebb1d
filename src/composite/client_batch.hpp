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

#include "client/cancellation.hpp"
#include "client/client_state.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/port/request.hpp"

namespace holdfast::detail {

// Receives the results of attempts on several locks. Each attempt has a reference until it has ended.
class attempts : public boost::intrusive_ref_counter<attempts, boost::thread_safe_counter> {
public:
    virtual ~attempts() = default;

    // Called once for each place, on the strand of the client of that lock, or by the thread that launches the
    // attempts. The engine may be the caller, so it must not call the engine. Thread-safe for different places.
    virtual void end(std::size_t place, described_error, lease got) = 0;
    // Cancels the attempts that are under way; they complete with operation_aborted. Thread-safe after the launch.
    virtual void call_off() noexcept = 0;
};

class single_try;

// The attempts on locks of one client. They reach its strand in one message, so that their commands leave in one write,
// and are cancelled by one message.
class client_batch final : public core::pooled<client_batch>, public engine::request {
public:
    // `all_or_none`: the locks are acquired by one script where that is possible; if one of them is held, the attempts
    // on the others are cancelled.
    client_batch(std::shared_ptr<client_state> const& home, bool all_or_none);
    ~client_batch();

    // Compares by ownership: the client may have been destroyed.
    bool is_of(std::shared_ptr<client_state> const& client) const noexcept
    {
        return !home_.owner_before(client) && !client.owner_before(home_);
    }
    // Before start(), on the same thread.
    void add(boost::intrusive_ptr<attempts> of, std::size_t place, engine::contender::wish);

    // If the client has been destroyed, the attempts end with errc::client_stopped before start() returns.
    void start() noexcept;
    // Thread-safe.
    void request_cancellation() noexcept;

private:
    friend class cancellation<client_batch>;

    void cancelled(engine::client_engine&) { give_up(); }
    void fail_all(described_error const&);
    void deliver(engine::client_engine&) override;
    void discard() noexcept override;
    void join_together(engine::client_engine&);
    void give_up();

    std::weak_ptr<client_state> home_;  // weak: the engine refers to the attempts
    bool all_or_none_;
    boost::container::small_vector<boost::intrusive_ptr<single_try>, 8> tries_;
    cancellation<client_batch> cancellation_{*this};
};

}  // namespace holdfast::detail

#endif
