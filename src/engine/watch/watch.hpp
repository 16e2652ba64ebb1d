//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_WATCH_HPP
#define HOLDFAST_ENGINE_WATCH_HPP

#include <cstdint>
#include <memory>
#include <string_view>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <holdfast/detail/described_error.hpp>
#include <holdfast/error.hpp>

#include "core/clock.hpp"
#include "core/deadline_queue.hpp"
#include "engine/acquire/engine_parts.hpp"
#include "engine/acquire/subscriptions.hpp"
#include "engine/port/script_call.hpp"
#include "engine/protocol/lock_spec.hpp"

// src/engine/watch: what follows a state on the server without acquiring anything. It may include the other folders of
// the engine, but not client_engine.
namespace holdfast::engine {

enum class shard_id : std::uint16_t;
struct watch_tag;
using watch_hook = boost::intrusive::
    list_base_hook<boost::intrusive::tag<watch_tag>, boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

// Follows a state on the server: a script reads it, and a channel tells that it may have changed. A message is a hint,
// so the state is read again after each message, when the present state may end by itself, on a new connection, and
// when another server has the keys. A state that does not end by itself is read again after the poll interval. Without
// messages each state is read once a second.
//
// | call      | the state may have changed          | reply                                            |
// |-----------|-------------------------------------|--------------------------------------------------|
// | idle      | sends the script; while the session | -                                                |
// |           | is not open: when it opens          |                                                  |
// | under way | remembers it                        | reads it; sends the script again if it remembers |
//
// On the strand, between join() and leave() of watches. It stays alive while the session has its command.
class watch : public boost::intrusive_ref_counter<watch, boost::thread_safe_counter>,
              public watch_hook,
              private listener,
              private core::deadline,
              private script_call {
public:
    virtual ~watch() = default;

    lock_spec const& lock() const noexcept { return *lock_; }
    bool is_joined() const noexcept { return parts_ != nullptr; }

protected:
    // The channel must live as long as this object.
    watch(std::shared_ptr<lock_spec const> lock, std::string_view channel) noexcept;

    std::shared_ptr<lock_spec const> const& shared_lock() const noexcept { return lock_; }
    engine::runtime& runtime() const noexcept;

    // Reads the state. Returns after what time it may change without a message; max: never.
    virtual core::duration on_state(reply const&) = 0;
    // The server refuses the script, and would do so again.
    virtual void on_failed(detail::described_error const&) = 0;
    // The client shuts down: its leases should be released. May leave.
    virtual void on_closing() {}
    // The connection to the server was lost, or could not be opened. May leave.
    virtual void on_unconnected() {}
    // The client has stopped; the watch has left.
    virtual void on_stopped() = 0;

private:
    friend class watches;
    void join(engine_parts const&);
    void leave() noexcept;
    // The state may have changed.
    void refresh();

    void on_message() override { refresh(); }
    void on_due(core::instant) override { refresh(); }
    bool is_wanted() const override { return is_joined(); }
    void on_reply(answer const&) final;
    core::duration read(answer const&);
    void arm(core::duration);

    std::shared_ptr<lock_spec const> const lock_;
    std::string_view const channel_;
    engine_parts const* parts_ = nullptr;  // null: it has not joined, or has left
    shard_id asked_{};                     // to which the script was sent
    bool is_outdated_ = false;             // the script under way may have read an older state
    boost::intrusive_ptr<watch> self_;     // while the session has the command
};

}  // namespace holdfast::engine

#endif
