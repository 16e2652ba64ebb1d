//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/client_state.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>

#include "client/client_service.hpp"
#include "client/log_sink.hpp"
#include "core/bounds.hpp"
#include "core/lock_name.hpp"
#include "core/memory_end.hpp"
#include "engine/hold/owner_state.hpp"
#include "handle/named_error.hpp"

namespace holdfast::detail {
namespace {

constexpr auto never_blocking = asio::execution::blocking.never;

void require(bool ok, char const* validation_error)
{
    if (!ok)
        throw std::invalid_argument(validation_error);
}

// Throws before anything is made: a client with invalid options does not exist.
void check(config const& c)
{
    using namespace std::chrono_literals;
    require(c.lease >= 100ms, "lease: must be at least 100 ms");
    require(c.command_timeout >= 1ms, "command_timeout: must be at least 1 ms");
    require(c.max_hold >= 0ms, "max_hold: must not be negative");
    require(c.poll_interval >= 1ms, "poll_interval: must be at least 1 ms");
    require(c.local_handoff.max_time >= 0ms, "local_handoff.max_time: must not be negative");
    require(c.key_prefix.size() < core::max_name_size, "key_prefix: must have fewer than 512 bytes");
    require(c.key_prefix.find_first_of("{}") == c.key_prefix.npos, "key_prefix: must not contain braces");
}

// Cut to ten years, so that no sum of an instant and several durations overflows.
config bounded(config c)
{
    for (auto* d : {&c.lease, &c.command_timeout, &c.max_hold, &c.poll_interval, &c.local_handoff.max_time})
        *d = core::bounded(*d);
    return c;
}

}  // namespace

// The parts that need an execution context. The engine is destroyed first: its destructor stops the session.
struct client_state::inside {
    asio::any_io_executor executor;
    engine::strand strand;
    std::shared_ptr<engine::world> world;
    engine::client_engine engine;
};

std::shared_ptr<client_state> client_state::make(
    asio::any_io_executor executor, config const& given, io_maker const& make_io)
{
    check(given);
    auto const c = bounded(given);
    auto const log = make_log(c);
    engine::strand strand(executor);
    auto const io = make_io(strand, c, log);
    auto& service = asio::use_service<client_service>(asio::query(executor, asio::execution::context));

    // In two steps: the engine and the owner refer to the client state weakly, so the state must exist before they do.
    // It is registered last: if a step throws, nothing has to be removed from the service.
    auto made = std::make_shared<client_state>(executor, c, service);
    std::weak_ptr<engine::inbox> const home = made;
    made->process_owner_ = std::make_shared<engine::owner_state>(home, std::string(), true);
    made->inside_.reset(new inside{executor, strand, io.world, {io, c, log, home}});
    made->id_ = made->inside_->engine.runtime().tokens().id();
    service.add(*made);
    return made;
}

client_state::client_state(asio::any_io_executor e, config const& c, client_service& s)
    : config_(c),
      context_(&asio::query(e, asio::execution::context)),
      service_(&s),
      meters_(c.stats_label, c.max_stats_labels)
{}

// Any thread may drop the last reference. The context waits for remove(), because the parts inside must not outlive it.
// After shut() the service may have been destroyed with its context.
client_state::~client_state()
{
    if (!inside_)
        return;
    inside_.reset();
    service_->remove(*this);
}

// The delivery runs inline if the caller is on a thread of the executor, which saves the uncontended acquire a turn of
// the loop. It is posted in two cases. Inside the engine, which is not re-entrant: a message could destroy the object
// whose function is running. With an observer: it may lock a mutex that the caller holds while it starts an operation.
void client_state::send(engine::message& l) noexcept
{
    send(l, [this](engine::strand const& s) { return !config_.observer && !s.running_in_this_thread(); });
}

void client_state::post(engine::message& l) noexcept
{
    send(l, [](engine::strand const&) { return false; });
}

// Only the sender of the first message schedules a delivery, which takes all messages that are in the mailbox by then: a
// burst costs one handler.
template <class Predicate>
void client_state::send(engine::message& l, Predicate may_deliver_now) noexcept
{
    rundown::use const now(rundown_);
    auto* const in = reach(now);
    if (!in)
        return l.discard();
    if (mailbox_.push(l))
        schedule_delivery(may_deliver_now(in->strand) ? in->strand : in->strand.require(never_blocking));
}

// One delivery at a time is queued, so the memory that the strand has kept is enough. The handler keeps the state alive,
// because the caller may own the last reference. It reads the mailbox after it has cleared the flag: a sender that found
// the flag set has put its message there before.
void client_state::schedule_delivery(engine::strand const& on) noexcept
{
    if (!is_delivery_queued_.exchange(true))
        on.execute_in_kept_memory([self = shared_from_this()] {
            self->is_delivery_queued_.exchange(false);
            self->deliver_mail();
        });
}

// Called by the engine before the session writes: then the messages that have arrived since the first of a burst add
// their commands to the same write. A delivery that is queued brings the rest.
void client_state::read_mail()
{
    if (!mailbox_.has_rest())
        deliver_mail();
}

// The context may have ended since the delivery was queued.
void client_state::deliver_mail()
{
    if (!inside_ || inside_->world->is_inherited())
        return mailbox_.discard_all();
    if (mailbox_.deliver(inside_->engine))
        schedule_delivery(inside_->strand.require(never_blocking));
}

void client_state::warn(std::string line)
{
    send_call([line = std::move(line)](engine::client_engine& c) { c.runtime().log().warning(line); });
}

// The result of a function of the parts inside, or `otherwise` when the execution context has ended.
client_state::inside* client_state::reach(rundown::use const& now) const noexcept
{
    return now && !inside_->world->is_inherited() ? inside_.get() : nullptr;
}

bool client_state::is_alive() const noexcept
{
    return reach(rundown::use(rundown_)) != nullptr;
}

template <class Result, class Function>
Result client_state::read(Result otherwise, Function f) const
{
    rundown::use const now(rundown_);
    auto* const in = reach(now);
    return in ? f(*in) : otherwise;
}

// Without a world there is no clock, so every deadline has passed: a lease that outlives its context is not valid.
core::instant client_state::now() const noexcept
{
    return read(core::never, [](inside& in) { return in.world->now(); });
}

core::instant client_state::after(core::duration d) const noexcept
{
    auto const t = now();
    return t == core::never ? t : t + d;
}

asio::any_io_executor client_state::executor() const noexcept
{
    return read(asio::any_io_executor(), [](inside& in) { return in.executor; });
}

bool client_state::shares_context_of(asio::any_io_executor const& e) const noexcept
{
    return e && &asio::query(e, asio::execution::context) == context_;
}

stats client_state::read_stats() const
{
    return read(stats(), [this](inside& in) {
        auto all = meters_.read();
        in.engine.runtime().telemetry().add_to(all);
        return all;
    });
}

failure client_state::last_failure() const
{
    return read(failure(), [](inside& in) { return in.engine.runtime().telemetry().last_failure(); });
}

std::uint64_t client_state::next_acquire() const noexcept
{
    return read(std::uint64_t(0), [](inside& in) { return in.engine.runtime().telemetry().next_acquire(); });
}

described_error client_state::remember(error_code ec, std::string_view words)
{
    rundown::use const now(rundown_);
    if (auto* const in = reach(now))
        in->engine.runtime().telemetry().remember(ec, words);
    return {ec, make_error_text(words)};
}

described_error client_state::refuse(std::string_view lock, std::string_view what)
{
    return remember(errc::invalid_option, in_quotes(lock).append(": ").append(what));
}

// Sent once: the message is a member, and a message must not be in the mailbox twice.
void client_state::stop() noexcept
{
    if (!is_ending_.exchange(true))
        post(ending_);
}

bool client_state::is_stopped() const noexcept
{
    return read(true, [](inside& in) { return in.engine.runtime().lifecycle().is_stopped(); });
}

// A red_lock reads it on another thread, while the strand may open the next epoch.
std::optional<engine::server_identity> client_state::server_of(std::uint16_t slot) const
{
    auto const of_cluster = read(std::optional<engine::server_identity>(), [&](inside& in) {
        auto const* const r = in.engine.runtime().router();
        return r ? r->records().server_of(slot) : std::nullopt;
    });
    std::scoped_lock const guard(mutex_);
    return server_ ? server_ : of_cluster;
}

std::shared_ptr<engine::primary_records::node_list const> client_state::nodes() const
{
    using result = std::shared_ptr<engine::primary_records::node_list const>;
    return read(result(), [](inside& in) {
        auto const* const r = in.engine.runtime().router();
        return r ? r->records().nodes() : result();
    });
}

void client_state::on_server(engine::server_identity const& s)
{
    std::scoped_lock const guard(mutex_);
    server_ = s;
}

engine::client_engine::census client_state::count() const noexcept
{
    return inside_ ? inside_->engine.count() : engine::client_engine::census{};
}

// The order matters. First other threads leave the parts inside, and inside_ becomes null: handlers that are destroyed
// here may call the client, and must find it ended (is_alive() is false, send() discards). Then the messages that no
// strand will deliver are discarded, and the waiters of the queues enter, so that their handlers are posted to
// contexts, which call or destroy them. The engine is stopped last; it may call observers, and it is destroyed after
// that. A forked child waits for no thread: those of its parent that were inside at the fork do not exist here.
void client_state::shut() noexcept
{
    if (inside_ && inside_->world->is_inherited())
        rundown_.refuse();
    else
        rundown_.end();
    auto const ending = std::exchange(inside_, nullptr);
    mailbox_.discard_all();
    queues_.open_all();
    if (ending)
        core::run_or_end([&] { ending->engine.stop(); });
}

}  // namespace holdfast::detail
