//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/event_stream.hpp"

#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

#include "tool/dashboard/answer.hpp"
#include "tool/dashboard/event_frames.hpp"

namespace holdfast::cli::dashboard {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto pause = 250ms;  // between two looks at the board

asio::awaitable<bool> send_head(boost::beast::tcp_stream& to)
{
    http::response<http::empty_body> head(http::status::ok, 11);
    protect(head);
    head.set(http::field::content_type, "text/event-stream");
    head.keep_alive(false);  // the stream ends with the connection
    http::response_serializer<http::empty_body> serializer(head);
    boost::system::error_code ec;
    to.expires_after(longest_write);
    co_await http::async_write_header(to, serializer, asio::redirect_error(asio::use_awaitable, ec));
    co_return !ec;
}

asio::awaitable<bool> send(boost::beast::tcp_stream& to, std::string const& frames)
{
    boost::system::error_code ec;
    to.expires_after(longest_write);
    co_await asio::async_write(to, asio::buffer(frames), asio::redirect_error(asio::use_awaitable, ec));
    co_return !ec;
}

}  // namespace

asio::awaitable<void> stream_events(site& s, boost::beast::tcp_stream& to)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    event_cursor sent;
    if (!co_await send_head(to))
        co_return;
    // The curves get a sample every two seconds, so a client that has gone is noticed soon.
    while (!s.is_stopping) {
        auto const frames = next_frames(s.state, sent, s.greeting, moment::now().at);
        if (!frames.empty() && !co_await send(to, frames))
            co_return;
        if (!frames.empty())
            continue;
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

}  // namespace holdfast::cli::dashboard
