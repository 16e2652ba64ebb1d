//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_STATE_HPP
#define HOLDFAST_CLIENT_STATE_HPP

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include <holdfast/config.hpp>
#include <holdfast/detail/initiate.hpp>

#include "client/fifo_mutexes.hpp"
#include "engine/client_engine.hpp"
#include "engine/port/mailbox.hpp"
#include "engine/port/server_identity.hpp"
#include "engine/port/session.hpp"
#include "engine/port/strand.hpp"

namespace holdfast::detail {

class client_service;

// The state of a client: its strand, the engine that runs on it, and the mailbox for messages from other threads.
// Handles hold it weakly. If its execution context ends first, it gives up all that needs one, and does nothing any
// more.
class client_state final : public engine::inbox, public std::enable_shared_from_this<client_state> {
public:
    // Makes the session. Throws std::invalid_argument with the name of the invalid option.
    using session_maker = std::function<std::shared_ptr<engine::session>(engine::strand, config const&, engine::log)>;

    static std::shared_ptr<client_state> make(asio::any_io_executor, config const&, session_maker const&);

    client_state(asio::any_io_executor, config const&, client_service&);
    ~client_state();

    // ---- thread-safe
    void send(engine::message&) noexcept override;
    core::instant now() const noexcept override;
    // Whether the execution context exists.
    bool is_alive() const noexcept { return inside_ != nullptr; }
    // Empty when the execution context has ended.
    asio::any_io_executor executor() const noexcept;
    config const& options() const noexcept { return config_; }
    std::string_view id() const noexcept { return id_; }
    std::shared_ptr<engine::owner_state> const& process_owner() const noexcept { return process_owner_; }
    stats read_stats() const;
    failure last_failure() const;
    void remember(error_code, std::string_view words);
    // The statistics of composite locks; null when the execution context has ended.
    engine::composite_meters* composites() noexcept;
    void stop() noexcept;
    bool is_stopped() const noexcept;

    // The server of the last epoch; none before the first epoch.
    std::optional<engine::server_identity> server() const;
    fifo_mutexes& queues() noexcept { return queues_; }

    // ---- on the strand
    void read_mail() override;
    void on_server(engine::server_identity const&) override;
    // For tests: what has not ended.
    engine::client_engine::census count() const noexcept;

    // The execution context is about to be destroyed.
    void shut() noexcept;

private:
    struct inside;

    // The stop is a message, in order with what was sent before and after it.
    struct ending final : engine::message {
        void deliver(engine::client_engine& c) override { c.stop(); }
        void discard() noexcept override {}
    };

    config const config_;
    client_service* service_;
    engine::mailbox mailbox_;
    ending ending_;
    std::atomic<bool> is_ending_ = false;
    std::unique_ptr<inside> inside_;
    fifo_mutexes queues_;
    std::string id_;
    std::shared_ptr<engine::owner_state> process_owner_;

    mutable std::mutex mutex_;  // of what follows
    std::optional<engine::server_identity> server_;
};

}  // namespace holdfast::detail

#endif
