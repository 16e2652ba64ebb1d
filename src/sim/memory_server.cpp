//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/memory_server.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <string_view>

#include <boost/algorithm/string/predicate.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "sim/real_world.hpp"
#include "sim/reply_view.hpp"
#include "sim/strand_timer.hpp"

namespace holdfast::simulated {
namespace {

using namespace std::string_view_literals;

std::int64_t microseconds(std::chrono::nanoseconds d)
{
    return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

// Commands that concern the connection or the server, but no lock.
constexpr std::array no_lock_commands{
    "hello"sv,
    "auth"sv,
    "select"sv,
    "ping"sv,
    "echo"sv,
    "info"sv,
    "client"sv,
    "cluster"sv,
    "role"sv,
    "command"sv,
    "subscribe"sv,
    "unsubscribe"sv,
    "ssubscribe"sv,
    "sunsubscribe"sv};

bool names_lock(std::string_view command)
{
    return std::ranges::none_of(no_lock_commands, [&](auto const c) { return boost::algorithm::iequals(command, c); });
}

}  // namespace

// A connection of one client. The mutex of the server protects the members that both sides use; `open_` is used on the
// client's strand only.
class memory_server::memory_connection final : public session::connection,
                                               peer,
                                               public std::enable_shared_from_this<memory_connection> {
public:
    memory_connection(memory_server& s, engine::strand st, std::weak_ptr<session::connection_events> e)
        : server_(s.shared_from_this()), strand_(std::move(st)), events_(std::move(e)), timer_(strand_)
    {}

    // The model refers to this object. close() may never have been called, if the execution context has ended.
    ~memory_connection() { hang_up(); }

    // Not in the constructor: events that the model sends from here on need weak_from_this().
    void connect()
    {
        std::lock_guard const guard(server_->mutex_);
        id_ = server_->model_.connect(*this);
    }

    // With the mutex, because resume() takes the commands on the thread of its caller.
    void send(words text) override
    {
        std::lock_guard const guard(server_->mutex_);
        leaving_.emplace_back(text.begin(), text.end());
    }

    // The replies are there at once, so they are delivered within the call, as the port permits. After the mutex is
    // unlocked: an event may send commands, or close this connection.
    void flush() override
    {
        {
            std::lock_guard const guard(server_->mutex_);
            if (server_->paused_)
                return wait_for_resume();
            delivery_posted_ = true;  // the delivery below is enough for what arrives in execute()
            execute();
            delivery_posted_ = false;
        }
        deliver();
    }

    // A server that is paused still executes the commands that it has not read: they are in the buffer of its socket.
    // The next connection needs its barrier against them (rule 8).
    void close() noexcept override
    {
        open_ = false;
        timer_.cancel();
        std::lock_guard const guard(server_->mutex_);
        if (leaving_.empty())
            server_->model_.disconnect(id_);
        else
            closing_ = true;
    }

    // Called by resume(), with the mutex locked.
    void execute_late()
    {
        // The server may have closed the connection while it was paused.
        if (server_->model_.is_connected(id_))
            execute();
        if (closing_)
            server_->model_.disconnect(id_);
    }

private:
    void hang_up()
    {
        std::lock_guard const guard(server_->mutex_);
        server_->model_.disconnect(id_);
    }

    struct arrival {
        value what;
        bool is_push;
        core::instant due;  // by real time, which a test cannot advance
    };

    // Once for all flushes during a pause. The reference keeps a connection that its client closes meanwhile.
    void wait_for_resume()
    {
        auto& queue = server_->waiting_;
        auto self = shared_from_this();
        if (std::find(queue.begin(), queue.end(), self) == queue.end())
            queue.push_back(std::move(self));
    }

    void execute()
    {
        for (auto const& command : leaving_) {
            // A server reads no further command of a connection that it has closed.
            if (!server_->model_.is_connected(id_))
                break;
            std::vector<std::string_view> const text(command.begin(), command.end());
            execute(text, names_lock(text.front()));
        }
        leaving_.clear();
    }

    void execute(words text, bool is_of_lock)
    {
        if (is_of_lock && !server_->refusal_.empty())
            return arrive(error(server_->refusal_), false);
        auto reply = server_->model_.execute(id_, text, server_->clock_us());
        if (is_of_lock && server_->replies_to_lose_ > 0) {
            --server_->replies_to_lose_;
            server_->model_.kill(id_);
        } else if (reply)
            arrive(std::move(*reply), false);
    }

    void on_push(value const& v) override { arrive(v, true); }

    void on_kill() override
    {
        killed_ = true;
        post_delivery();
    }

    // Not before what was sent earlier.
    void arrive(value v, bool is_push)
    {
        last_due_ = std::max(last_due_, boot_time() + server_->delay_);
        inbox_.push_back({std::move(v), is_push, last_due_});
        post_delivery();
    }

    // Called with the mutex locked, on the thread of any client: the delivery must run on the strand of this one. One
    // delivery takes all that has arrived by then. It keeps no reference, because the connection may be closed before.
    void post_delivery()
    {
        if (std::exchange(delivery_posted_, true))
            return;
        boost::asio::post(strand_, [self = weak_from_this()] {
            if (auto const l = self.lock()) {
                {
                    std::lock_guard const guard(l->server_->mutex_);
                    l->delivery_posted_ = false;
                }
                l->deliver();
            }
        });
    }

    // On the strand. Each event may close this connection, so `open_` is checked before each. The end is last: the
    // server has sent the replies before it closed the connection.
    void deliver()
    {
        std::vector<arrival> arrived;
        bool killed = false;
        {
            std::lock_guard const guard(server_->mutex_);
            auto const now = boot_time();
            auto const late = std::ranges::find_if(inbox_, [now](arrival const& a) { return a.due > now; });
            arrived.assign(std::move_iterator(inbox_.begin()), std::move_iterator(late));
            inbox_.erase(inbox_.begin(), late);
            if (inbox_.empty())
                killed = killed_;
            else
                deliver_after(inbox_.front().due - now);
        }
        auto const to = events_.lock();
        for (auto const& a : arrived)
            if (to && open_)
                a.is_push ? deliver_push(*to, a.what) : simulated::deliver(*to, a.what);
        if (to && open_ && killed)
            to->on_ended({boost::asio::error::eof});
    }

    // On the strand.
    void deliver_after(core::duration d)
    {
        timer_.expires_after(d);
        timer_.async_wait([self = weak_from_this()](boost::system::error_code ec) {
            if (auto const l = self.lock(); l && !ec)
                l->deliver();
        });
    }

    std::shared_ptr<memory_server> const server_;
    engine::strand strand_;
    std::weak_ptr<session::connection_events> const events_;
    bool open_ = true;  // close() was not called

    connection_id id_ = 0;                           // in the model
    std::vector<std::vector<std::string>> leaving_;  // commands that the server has not executed
    std::vector<arrival> inbox_;                     // replies and pushes that were not delivered
    bool delivery_posted_ = false;                   // a delivery will follow, so none need be posted
    bool killed_ = false;                            // the server has closed the connection
    core::instant last_due_{};                       // of what arrives last
    strand_timer timer_;                             // for what arrives later
    bool closing_ = false;                           // the client has closed it, but the server has commands to execute
};

memory_server::memory_server()
    : clock_offset_us_(
        microseconds(std::chrono::system_clock::now().time_since_epoch())
        - microseconds(boot_time().time_since_epoch()))
{
    // The run id follows from it: a red_lock distinguishes servers by their run ids.
    std::random_device source;
    model_.set_identity(std::to_string(source()) + std::to_string(source()));
    model_.assume_replicas(true);
}

std::int64_t memory_server::clock_us() const
{
    return clock_offset_us_ + microseconds(clock_->now().time_since_epoch());
}

std::shared_ptr<session::connection> memory_server::connect(
    engine::strand const& s, std::weak_ptr<session::connection_events> to)
{
    auto fresh = std::make_shared<memory_connection>(*this, s, std::move(to));
    fresh->connect();
    return fresh;
}

void memory_server::pause()
{
    std::lock_guard const guard(mutex_);
    paused_ = true;
}

void memory_server::resume()
{
    // Declared before the guard, and so destroyed after it: the last reference to a connection may end here, and its
    // destructor locks the mutex.
    std::vector<std::shared_ptr<memory_connection>> waiting;
    std::lock_guard const guard(mutex_);
    paused_ = false;
    waiting.swap(waiting_);
    for (auto const& l : waiting)
        l->execute_late();
}

void memory_server::delay(core::duration d)
{
    std::lock_guard const guard(mutex_);
    delay_ = d;
}

void memory_server::lose_reply()
{
    std::lock_guard const guard(mutex_);
    ++replies_to_lose_;
}

void memory_server::refuse(condition c, std::string_view error)
{
    std::lock_guard const guard(mutex_);
    model_.set_condition(c);
    refusal_ = error;
}

// What a client had sent to the old process, and that had not read it, is gone with it.
void memory_server::restart(bool data_lost)
{
    std::vector<std::shared_ptr<memory_connection>> waiting;  // destroyed after the guard, as in resume()
    std::lock_guard const guard(mutex_);
    waiting.swap(waiting_);
    model_.restart(data_lost);
}

void memory_server::disconnect_all()
{
    std::lock_guard const guard(mutex_);
    model_.disconnect_all();
}

// A connection for one command. It never subscribes, so it receives no events.
value memory_server::execute(words text)
{
    struct nobody final : peer {
        void on_push(value const&) override {}
        void on_kill() override {}
    } caller;
    std::lock_guard const guard(mutex_);
    auto const id = model_.connect(caller);
    auto reply = model_.execute(id, text, clock_us());
    model_.disconnect(id);
    return reply.value_or(nil());
}

}  // namespace holdfast::simulated
