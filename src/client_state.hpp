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

#include "engine/context.hpp"
#include "engine/gate.hpp"
#include "engine/server_identity.hpp"
#include "engine/session.hpp"
#include "engine/strand.hpp"
#include "turnstiles.hpp"

namespace holdfast::detail {

class client_service;

// What a client is: a strand, the engine on it, and the way in from other threads. Handles keep it weakly. When its
// execution context ends before it, everything that needs a context is given up, and what is left is inert.
class client_state final : public engine::gate, public std::enable_shared_from_this<client_state> {
public:
    // How a client gets its session; throws std::invalid_argument naming what is wrong with the options.
    using session_maker = std::function<std::shared_ptr<engine::session>(engine::strand, config const&, engine::log)>;

    static std::shared_ptr<client_state> make(asio::any_io_executor, config const&, session_maker const&);

    client_state(asio::any_io_executor, config const&, client_service&);
    ~client_state();

    // ---- any thread
    void send(engine::letter&) noexcept override;
    core::instant now() const noexcept override;
    // Until the execution context ends.
    bool is_alive() const noexcept { return inside_ != nullptr; }
    // Empty after that.
    asio::any_io_executor executor() const noexcept;
    config const& options() const noexcept { return config_; }
    std::string_view id() const noexcept { return id_; }
    std::shared_ptr<engine::owner_state> const& process_owner() const noexcept { return process_owner_; }
    stats read_stats() const;
    failure last_failure() const;
    void remember(error_code, std::string_view words);
    // Where composite locks are counted; null when the execution context has ended.
    engine::composite_meters* composites() noexcept;
    void stop() noexcept;
    bool is_stopped() const noexcept;

    // The server of the last epoch; none before the first.
    std::optional<engine::server_identity> server() const;
    std::shared_ptr<turnstile> turnstile_of(std::string const& key) { return turnstiles_.of(key); }

    // ---- on the strand
    void read_mail() override;
    void on_server(engine::server_identity const&) override;
    // For audits.
    engine::context::census count() const noexcept;

    // The execution context is about to be destroyed.
    void shut() noexcept;

private:
    struct inside;

    // The stop is a letter like what was asked before and after it.
    struct ending final : engine::letter {
        void deliver(engine::context& c) override { c.stop(); }
        void discard() noexcept override {}
    };

    config const config_;
    client_service* service_;
    engine::mailbox mailbox_;
    ending ending_;
    std::atomic<bool> is_ending_ = false;
    std::unique_ptr<inside> inside_;
    turnstiles turnstiles_;
    std::string id_;
    std::shared_ptr<engine::owner_state> process_owner_;

    mutable std::mutex mutex_;  // of what follows
    std::optional<engine::server_identity> server_;
};

}  // namespace holdfast::detail

#endif
