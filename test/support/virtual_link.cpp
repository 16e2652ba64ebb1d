//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/virtual_link.hpp"

#include <algorithm>
#include <functional>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "sim/reply_view.hpp"

namespace holdfast::test {

namespace asio = boost::asio;
using simulated::value;

namespace {

bool is_message(value const& push)
{
    return push.items[0].text == "message" || push.items[0].text == "smessage";
}

}  // namespace

virtual_link::virtual_link(
    process& p, simulated_server& s, engine::strand st, std::weak_ptr<session::connection_events> e, unsigned number)
    : process_(p),
      server_(s),
      strand_(std::move(st)),
      events_(std::move(e)),
      name_(p.name() + "#" + std::to_string(number))
{}

core::duration virtual_link::delay()
{
    return world().chance().between(server_.network.delay.least, server_.network.delay.most);
}

void virtual_link::note(std::string_view what, simulated::words text) const
{
    if (world().trace().is_on())
        world().trace().add(world().now(), name_, std::string(what) + to_line(text));
}

// ---- connecting

void virtual_link::connect()
{
    process_.on_kill([self = weak_from_this()] {
        if (auto const l = self.lock())
            l->close();
    });
    world().at(world().now() + delay(), [self = shared_from_this()] { self->accept(); });
}

// The kernel accepts also while the server is stopped.
void virtual_link::accept()
{
    if (!open_)
        return;
    if (!server_.is_up() || world().chance().happens(server_.faults.refuse_connect))
        return reply_with({.kind = incoming::kind::end, .why = asio::error::connection_refused});
    id_ = server_.model().connect(*this);
    at_server_ = shared_from_this();
    reply_with({.kind = incoming::kind::connected});
}

// ---- to the server

void virtual_link::send(simulated::words text)
{
    message m;
    for (auto const word : text) {
        m.bytes.append(word);
        m.ends.push_back(m.bytes.size());
    }
    leaving_.push_back(std::move(m));
}

// Data that is flushed before the connection exists is sent when it does.
void virtual_link::flush()
{
    if (!is_connected_)
        return;
    auto arrival = std::max(last_up_, world().now() + delay());
    for (auto& m : std::exchange(leaving_, {})) {
        draw_faults(arrival);
        m.arrival = arrival;
        depart(std::move(m));
    }
}

void virtual_link::draw_faults(core::instant& arrival)
{
    auto& c = world().chance();
    auto const& plan = server_.faults;
    if (c.happens(plan.split_write))
        arrival += delay();
    if (c.happens(plan.delay_request))
        arrival += c.between(plan.delay.least, plan.delay.most);
    if (arrival - world().now() > server_.network.detection)
        go_silent();
    if (c.happens(plan.lose_request)) {
        up_broken_ = true;
        go_silent();
    }
    if (c.happens(plan.disconnect)) {
        up_broken_ = up_broken_ || c.happens(0.5);
        break_off(asio::error::connection_reset);
    }
}

void virtual_link::depart(message m)
{
    if (up_broken_)
        return;
    bool const alone = upstream_.empty() || upstream_.back().arrival != m.arrival;
    last_up_ = m.arrival;
    upstream_.push_back(std::move(m));
    if (alone)
        world().at(last_up_, [self = shared_from_this()] { self->arrive(); });
}

// Runs at the server. A stopped server reads when it resumes, and does not read a killed connection, nor one that a
// WAIT blocks.
void virtual_link::arrive()
{
    while (!upstream_.empty() && upstream_.front().arrival <= world().now() && !server_.model().blocked(id_)) {
        if (server_.is_paused())
            return server_.when_resumed([self = shared_from_this()] { self->arrive(); });
        auto const m = std::move(upstream_.front());
        upstream_.pop_front();
        execute(m);
    }
}

void virtual_link::execute(message const& m)
{
    std::vector<std::string_view> text;
    std::size_t from = 0;
    for (auto const end : m.ends) {
        text.push_back(std::string_view(m.bytes).substr(from, end - from));
        from = end;
    }
    if (!server_.model().is_connected(id_))
        return note("is closed; too late: ", text);
    if (world().chance().happens(server_.faults.lose_reply)) {
        down_broken_ = true;
        go_silent();
    }
    if (auto reply = server_.execute(id_, name_, text))
        reply_with({.kind = incoming::kind::reply, .body = std::move(*reply)});
}

void virtual_link::on_push(value const& v)
{
    if (is_message(v) && world().chance().happens(server_.faults.drop_push))
        return note("misses a message", {});
    reply_with({.kind = incoming::kind::push, .body = v});
}

void virtual_link::on_unblocked(value const& v)
{
    reply_with({.kind = incoming::kind::reply, .body = v});
    world().at(world().now(), [self = shared_from_this()] { self->arrive(); });
}

void virtual_link::on_kill()
{
    auto const self = std::move(at_server_);
    reply_with({.kind = incoming::kind::end, .why = asio::error::eof});
}

// ---- to the client

void virtual_link::reply_with(incoming i)
{
    if (down_broken_ || !open_)
        return;
    i.arrival = last_down_ = std::max(last_down_, world().now() + delay());
    downstream_.push_back(std::move(i));
    world().at(last_down_, [self = shared_from_this()] { self->bring(); });
}

void virtual_link::bring()
{
    bool const idle = inbox_.empty();
    while (!downstream_.empty() && downstream_.front().arrival <= world().now()) {
        inbox_.push_back(std::move(downstream_.front()));
        downstream_.pop_front();
    }
    if (idle && !inbox_.empty())
        asio::post(strand_, [self = shared_from_this()] { self->read(); });
}

// Runs on the client's strand. An event handler may close this link.
void virtual_link::read()
{
    auto came = std::exchange(inbox_, {});
    auto const brings_message = [](incoming const& i) { return i.kind == incoming::kind::push && is_message(i.body); };
    bool const messages_first = world().chance().happens(server_.faults.early_push);
    auto const deliver_if = [&](auto const& wanted) {
        for (auto const& i : came)
            if (open_ && wanted(i))
                deliver(i);
    };
    if (!messages_first)
        return deliver_if([](incoming const&) { return true; });
    deliver_if(brings_message);
    deliver_if(std::not_fn(brings_message));
}

void virtual_link::deliver(incoming const& i)
{
    auto const to = events_.lock();
    if (!to)
        return;
    switch (i.kind) {
        case incoming::kind::connected: is_connected_ = true; return flush();
        case incoming::kind::reply: return simulated::deliver(*to, i.body);
        case incoming::kind::push: return simulated::deliver_push(*to, i.body);
        case incoming::kind::end: return to->on_ended({i.why, i.why.message()});
    }
}

// ---- ending

// Data that was sent still arrives, and after it the end of the connection.
void virtual_link::close() noexcept
{
    if (!std::exchange(open_, false) || up_broken_)
        return;
    note("closes", {});
    last_up_ = std::max(last_up_, world().now() + delay());
    world().at(last_up_, [self = shared_from_this()] { self->hang_up(); });
}

void virtual_link::hang_up()
{
    if (server_.is_paused())
        return server_.when_resumed([self = shared_from_this()] { self->hang_up(); });
    server_.model().disconnect(id_);
    at_server_ = nullptr;
}

// No data comes back any more; the client's keep-alive notices this after a while.
void virtual_link::go_silent()
{
    if (std::exchange(silent_, true))
        return;
    note("falls silent", {});
    world().at(world().now() + server_.network.detection, [self = shared_from_this()] {
        self->break_off(asio::error::timed_out);
    });
}

void virtual_link::break_off(boost::system::error_code why)
{
    down_broken_ = false;
    reply_with({.kind = incoming::kind::end, .why = why});
    down_broken_ = true;
}

}  // namespace holdfast::test
