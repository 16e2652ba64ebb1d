//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "testing/memory_server.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "testing/outbox.hpp"
#include "testing/real_world.hpp"

namespace holdfast::simulated {
namespace {

std::int64_t microseconds(std::chrono::nanoseconds d)
{
    return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

}  // namespace

// What the two sides share is guarded by the server's mutex; `open_` belongs to the strand.
class memory_server::memory_link final : public link, peer, public std::enable_shared_from_this<memory_link> {
public:
    memory_link(memory_server& s, engine::strand st, std::weak_ptr<link_events> e)
        : server_(s.shared_from_this()), strand_(std::move(st)), events_(std::move(e))
    {}

    // Its session may go without a word, with the whole context.
    ~memory_link() { hang_up(); }

    void connect()
    {
        std::lock_guard const guard(server_->mutex_);
        id_ = server_->model_.connect(*this);
        post_delivery();
    }

    void send(words text) override { leaving_.add({}, text); }

    void flush() override
    {
        {
            std::lock_guard const guard(server_->mutex_);
            if (server_->paused_)
                return wait_for_resume();
            delivery_posted_ = true;  // what arrives now is delivered below
            execute();
            delivery_posted_ = false;
        }
        deliver();
    }

    // Of what a paused server has not yet read, it will still execute all.
    void close() noexcept override
    {
        open_ = false;
        std::lock_guard const guard(server_->mutex_);
        if (leaving_.empty())
            server_->model_.disconnect(id_);
        else
            closing_ = true;
    }

    // With the mutex held.
    void execute_late()
    {
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
    };

    void wait_for_resume()
    {
        auto& queue = server_->waiting_;
        auto self = shared_from_this();
        if (std::find(queue.begin(), queue.end(), self) == queue.end())
            queue.push_back(std::move(self));
    }

    void execute()
    {
        leaving_.for_each([this](auto const&, words text) {
            if (!server_->model_.is_connected(id_))
                return;
            if (auto reply = server_->model_.execute(id_, text, server_->clock_us()))
                arrive({std::move(*reply), false});
        });
        leaving_.clear();
    }

    void on_push(value const& v) override { arrive({v, true}); }

    void on_kill() override
    {
        killed_ = true;
        post_delivery();
    }

    void arrive(arrival a)
    {
        inbox_.push_back(std::move(a));
        post_delivery();
    }

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

    // On the strand. Whoever is told may close this link.
    void deliver()
    {
        std::vector<arrival> arrived;
        bool killed = false;
        {
            std::lock_guard const guard(server_->mutex_);
            arrived.swap(inbox_);
            killed = killed_;
        }
        auto const to = events_.lock();
        if (to && open_ && !std::exchange(told_, true))
            to->on_connected();
        for (auto const& a : arrived)
            if (to && open_)
                a.is_push ? to->on_push(a.what) : to->on_reply(a.what);
        if (to && open_ && killed)
            to->on_disconnected(boost::asio::error::eof);
    }

    std::shared_ptr<memory_server> const server_;
    engine::strand strand_;
    std::weak_ptr<link_events> const events_;
    bool open_ = true;
    bool told_ = false;

    connection_id id_ = 0;
    outbox leaving_;
    std::vector<arrival> inbox_;
    bool delivery_posted_ = false;
    bool killed_ = false;
    bool closing_ = false;
};

memory_server::memory_server()
    : clock_offset_us_(
        microseconds(std::chrono::system_clock::now().time_since_epoch())
        - microseconds(boot_time().time_since_epoch()))
{}

std::int64_t memory_server::clock_us() const
{
    return clock_offset_us_ + microseconds(boot_time().time_since_epoch());
}

std::shared_ptr<link> memory_server::dial(engine::strand const& s, std::weak_ptr<link_events> to)
{
    auto fresh = std::make_shared<memory_link>(*this, s, std::move(to));
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
    std::vector<std::shared_ptr<memory_link>> waiting;  // outlives the lock: the last owner of a link takes it, too
    std::lock_guard const guard(mutex_);
    paused_ = false;
    waiting.swap(waiting_);
    for (auto const& l : waiting)
        l->execute_late();
}

void memory_server::disconnect_all()
{
    std::lock_guard const guard(mutex_);
    model_.disconnect_all();
}

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
