//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/proxy.hpp"

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace holdfast::test {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// The switches of one direction.
struct way {
    std::atomic<bool> drop = false;
    std::atomic<int> delay_ms = 0;
};

struct connection {
    asio::ip::tcp::socket client;
    asio::local::stream_protocol::socket server;

    void close(bool reset)
    {
        error_code ignored;
        if (reset)
            client.set_option(asio::socket_base::linger(true, 0), ignored);
        client.close(ignored);
        server.close(ignored);
    }
};

}  // namespace

struct proxy::state {
    asio::io_context context{1};
    asio::ip::tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
    std::string socket_path;
    std::array<way, 2> ways;
    std::atomic<std::size_t> slice = 0;
    std::atomic<bool> refuse = false;
    std::atomic<std::uint64_t> accepted = 0;
    std::set<std::shared_ptr<connection>> connections;
    std::thread thread;

    asio::awaitable<void> accept();
    template <class From, class To>
    asio::awaitable<void> carry(std::shared_ptr<connection>, From&, To&, way&);
    void open(asio::ip::tcp::socket);
};

template <class From, class To>
asio::awaitable<void> proxy::state::carry(std::shared_ptr<connection> c, From& from, To& to, way& w)
{
    std::array<char, 16384> chunk;
    error_code ec;
    auto const token = asio::redirect_error(asio::use_awaitable, ec);
    asio::steady_timer timer(context);
    while (!ec) {
        std::size_t const limit = slice;
        auto const size = limit == 0 ? chunk.size() : std::min(limit, chunk.size());
        auto const n = co_await from.async_read_some(asio::buffer(chunk, size), token);
        if (int const ms = w.delay_ms; !ec && ms > 0) {
            timer.expires_after(std::chrono::milliseconds(ms));
            co_await timer.async_wait(token);
        }
        if (!ec && !w.drop)
            co_await asio::async_write(to, asio::buffer(chunk, n), token);
    }
    c->close(false);
    connections.erase(c);
}

void proxy::state::open(asio::ip::tcp::socket client)
{
    ++accepted;
    auto const c = std::make_shared<connection>(std::move(client), asio::local::stream_protocol::socket(context));
    error_code ec;
    c->server.connect(socket_path, ec);
    if (ec || refuse)
        return c->close(false);
    c->client.set_option(asio::ip::tcp::no_delay(true), ec);
    connections.insert(c);
    asio::co_spawn(context, carry(c, c->client, c->server, ways[0]), asio::detached);
    asio::co_spawn(context, carry(c, c->server, c->client, ways[1]), asio::detached);
}

asio::awaitable<void> proxy::state::accept()
{
    for (;;) {
        error_code ec;
        auto client = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, ec));
        if (ec)
            co_return;
        open(std::move(client));
    }
}

proxy::proxy(std::string const& socket_path) : state_(std::make_shared<state>())
{
    state_->socket_path = socket_path;
    asio::co_spawn(state_->context, state_->accept(), asio::detached);
    state_->thread = std::thread([s = state_.get()] { s->context.run(); });
}

proxy::~proxy()
{
    state_->context.stop();
    state_->thread.join();
}

std::uint16_t proxy::port() const
{
    return state_->acceptor.local_endpoint().port();
}

std::string proxy::url() const
{
    return "redis://127.0.0.1:" + std::to_string(port());
}

void proxy::drop(direction d, bool on)
{
    state_->ways[static_cast<std::size_t>(d)].drop = on;
}

void proxy::black_hole(bool on)
{
    drop(direction::to_server, on);
    drop(direction::to_client, on);
}

void proxy::delay(direction d, std::chrono::milliseconds time)
{
    state_->ways[static_cast<std::size_t>(d)].delay_ms = static_cast<int>(time.count());
}

void proxy::slice(std::size_t most)
{
    state_->slice = most;
}

void proxy::cut(bool reset)
{
    asio::post(state_->context, [s = state_.get(), reset] {
        for (auto const& c : std::set(s->connections))
            c->close(reset);
    });
}

// Everything runs on the proxy's thread, so that no data passes in between.
void proxy::heal()
{
    asio::post(state_->context, [s = state_.get()] {
        for (auto const& c : std::set(s->connections))
            c->close(false);
        for (auto& w : s->ways)
            w.drop = false;
    });
}

void proxy::refuse(bool on)
{
    state_->refuse = on;
}

std::uint64_t proxy::accepted() const
{
    return state_->accepted;
}

}  // namespace holdfast::test
