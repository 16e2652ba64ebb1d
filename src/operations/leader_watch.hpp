//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPERATIONS_LEADER_WATCH_HPP
#define HOLDFAST_OPERATIONS_LEADER_WATCH_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <holdfast/election.hpp>

#include "client/client_state.hpp"
#include "engine/watch/watch.hpp"
#include "handle/completion.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {

class next_operation;

// What a leader_watch knows, on the strand. It follows the state from the first next() until the watch is destroyed.
class leader_follower final : public engine::watch {
public:
    explicit leader_follower(single_lock const& of);

    // Completes the operation, now or later. Precondition: it is not complete.
    void wait(engine::client_engine&, next_operation&);
    // The operation does not wait any more.
    void forget(next_operation const&) noexcept;

    std::string_view name() const noexcept { return lock().name; }

    // The watch was destroyed. Any thread; allocates nothing.
    void end(client_state&) noexcept;

private:
    struct end_message final : engine::message {
        explicit end_message(leader_follower& f) noexcept : of(f) {}
        void deliver(engine::client_engine&) override;
        void discard() noexcept override { intrusive_ptr_release(&of); }

        leader_follower& of;
    };

    void submit(engine::session&, engine::command&, engine::script_form) override;
    core::duration on_state(engine::reply const&) override;
    void on_failed(described_error const& ec) override { complete(ec); }
    void on_stopped() override { complete(errc::client_stopped); }
    void tell();
    void complete(described_error const&);

    using state = std::optional<leader>;
    std::optional<state> known_;  // none: not read yet
    std::optional<state> told_;   // the last one that next() completed with
    std::uint64_t newest_term_ = 0;
    next_operation* waiting_ = nullptr;
    end_message end_{*this};
};

// The implementation of a leader_watch.
class leader_watch_impl {
public:
    explicit leader_watch_impl(single_lock const&);
    leader_watch_impl(leader_watch_impl const&) = delete;
    leader_watch_impl& operator=(leader_watch_impl const&) = delete;
    ~leader_watch_impl();

    asio::any_io_executor executor() const noexcept;
    void next(handler_at<void(error_code, std::optional<leader>)>);

private:
    std::shared_ptr<single_lock const> const of_;
    boost::intrusive_ptr<leader_follower> const follower_;
};

}  // namespace holdfast::detail

#endif
