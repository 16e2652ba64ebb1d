//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLIENT_STATE_HPP
#define HOLDFAST_CLIENT_STATE_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <holdfast/config.hpp>
#include <holdfast/detail/initiate.hpp>
#include <holdfast/observer.hpp>

#include "client/fifo_mutexes.hpp"
#include "client/meter_table.hpp"
#include "client/rundown.hpp"
#include "engine/client_engine.hpp"
#include "engine/port/client_io.hpp"
#include "engine/port/mailbox.hpp"
#include "engine/port/server_identity.hpp"
#include "engine/port/strand.hpp"

// client: a client with its strand, mailbox, engine, log, and session. It may include core, engine and handle; only
// session_factory.cpp includes the transports, redis and sim.
namespace holdfast::detail {

class client_service;

// The state of a client: its strand, the engine that runs on it, and the mailbox for messages from other threads. The
// public client owns it; handles, leases and owners hold it weakly. The engine keeps it alive only while it delivers
// messages. If its execution context ends first, shut() destroys the engine, and all functions do nothing from then on:
// including those that other threads call while it ends. In a forked child they do the same from the beginning, because
// the connection and the leases are those of the parent.
class client_state final : public engine::inbox, public std::enable_shared_from_this<client_state> {
public:
    // Makes the world and the session. Throws std::invalid_argument with the name of the invalid option.
    using io_maker = std::function<engine::client_io(engine::strand, config const&, engine::log)>;

    static std::shared_ptr<client_state> make(asio::any_io_executor, config const&, io_maker const&);

    client_state(asio::any_io_executor, config const&, client_service&);
    ~client_state();

    // ---- thread-safe
    // Delivers the message on the strand, in the order of all calls, or discards it if the execution context has ended.
    // It may deliver before it returns, unless the caller is on the strand.
    void send(engine::message&) noexcept override;
    // The same, and delivers later. To queue the delivery on an io_context or a thread_pool needs no memory.
    void post(engine::message&) noexcept override;
    // Sends a function, void(engine::client_engine&). If the execution context has ended, it is destroyed uncalled.
    template <class Function>
    void send_call(Function f)
    {
        send(*new call<Function>(std::move(f)));
    }
    // Logs a warning on the strand: config::log is called nowhere else while the client runs.
    void warn(std::string line);
    core::instant now() const noexcept override;
    // now() + d; `never` if the execution context has ended.
    core::instant after(core::duration d) const noexcept;
    // False when the execution context has ended, or in a forked child: nothing reaches the strand any more. The context
    // may end right afterwards, so a caller that got true must be prepared for all that the other functions do then.
    bool is_alive() const noexcept;
    // Empty when the execution context has ended. The caller must not use the executor when it may end meanwhile.
    asio::any_io_executor executor() const noexcept;
    // Its execution context, which may have ended.
    asio::execution_context& context() const noexcept { return *context_; }
    // Whether that executor has the same execution context: what waits there does not wait while the client runs.
    bool shares_context_of(asio::any_io_executor const&) const noexcept;
    config const& options() const noexcept { return config_; }
    // The UUID with which the tokens of this client begin. It is constant: views of it may be in use on any thread.
    std::string_view id() const noexcept { return id_; }
    std::shared_ptr<engine::owner_state> const& process_owner() const noexcept { return process_owner_; }
    stats read_stats() const;
    failure last_failure() const;
    // Records the last failure, for client::last_failure(), and returns it. The words begin with the name of the lock.
    described_error remember(error_code, std::string_view words);
    // An operation on that lock has an invalid option: records why, and returns errc::invalid_option.
    described_error refuse(std::string_view lock, std::string_view what);
    // The number of another acquire, for the observer; 0: there is none, or the execution context has ended.
    std::uint64_t next_acquire() const noexcept;
    // Tells the observer that its user initiates an acquire. Returns the observer's context of the acquire; null: none.
    std::shared_ptr<void> initiated(lock_kind k, std::string_view name, std::string_view label) const noexcept
    {
        auto const& o = config_.observer;
        return o ? o->on_initiated({.name = name, .label = label, .kind = k}) : nullptr;
    }
    // Where the events of a lock, or of a composite lock, are counted; valid as long as this object.
    engine::lock_meters& meters_of(lock_kind k, std::string_view name) { return meters_.of_single(k, name); }
    engine::composite_meters& composites_of(lock_kind k, std::string_view name)
    {
        return meters_.of_composite(k, name);
    }
    // Returns at once; the client is stopped when the message is delivered. Idempotent.
    void stop() noexcept;
    bool is_stopped() const noexcept;

    // The server of the last epoch; of a cluster, the primary that has the hash slot. None before the first epoch.
    std::optional<engine::server_identity> server_of(std::uint16_t slot) const;
    // The primaries of its cluster, by their ids; null: it has one server, or the execution context has ended.
    std::shared_ptr<engine::primary_records::node_list const> nodes() const;
    // The queues of the contenders of this process, one for each red_lock.
    fifo_mutexes& queues() noexcept { return queues_; }

    // ---- on the strand
    void read_mail() override;
    void on_server(engine::server_identity const&) override;
    // For tests: the numbers of arbiters, deadlines, channels and releases that have not ended.
    engine::client_engine::census count() const noexcept;

    // The execution context is about to be destroyed, and runs no handlers any more; or this process is a forked child.
    // Called by client_service.
    void shut() noexcept;

private:
    struct inside;

    // The mailbox does not own messages, so a call deletes itself.
    template <class Function>
    struct call final : engine::message {
        explicit call(Function f) : function(std::move(f)) {}
        void deliver(engine::client_engine& c) override
        {
            std::unique_ptr<call> const self(this);
            function(c);
        }
        void discard() noexcept override { delete this; }

        Function function;
    };

    // The stop is a message, so that operations that were started before stop() reach the engine first, and later ones
    // complete with client_stopped.
    struct ending final : engine::message {
        void deliver(engine::client_engine& c) override { c.stop(); }
        void discard() noexcept override {}
    };

    // The parts inside; null: the execution context has ended, or this process is a forked child of the one that made
    // them. Valid during the use.
    inside* reach(rundown::use const&) const noexcept;
    template <class Result, class Function>
    Result read(Result otherwise, Function) const;
    template <class Predicate>
    void send(engine::message&, Predicate may_deliver_now) noexcept;
    void schedule_delivery(engine::strand const& on) noexcept;
    void deliver_mail();

    config const config_;
    asio::execution_context* const context_;
    client_service* service_;  // valid while inside_ is not null
    meter_table meters_;       // before inside_, whose engine uses them
    engine::mailbox mailbox_;
    std::atomic<bool> is_delivery_queued_ = false;
    ending ending_;
    std::atomic<bool> is_ending_ = false;
    mutable rundown rundown_;  // of inside_; the strand needs no use of it, because it has ended before the context
    std::unique_ptr<inside> inside_;  // null: the execution context has ended
    fifo_mutexes queues_;
    std::string id_;
    std::shared_ptr<engine::owner_state> process_owner_;

    mutable std::mutex mutex_;                       // protects the members below
    std::optional<engine::server_identity> server_;  // of a client of one server
};

}  // namespace holdfast::detail

#endif
