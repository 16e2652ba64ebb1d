//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/http_server.hpp"

#include <algorithm>
#include <string_view>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tool/dashboard/http_connection.hpp"

namespace holdfast::cli::dashboard {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

// Without a wait: a client that does not read cannot hold up the others.
void turn_away(tcp::socket socket)
{
    constexpr std::string_view words =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(words), ignored);
    socket.shutdown(tcp::socket::shutdown_both, ignored);
}

// Returns false if all have streams of events. The place becomes free when the coroutine of that connection ends, which is
// soon.
bool make_room(site& s)
{
    auto const slowest = std::ranges::find(s.open, false, &open_connection::must_stay);
    if (slowest == s.open.end())
        return false;
    slowest->must_stay = true;
    slowest->stream->close();
    ++s.counts.refused;
    return true;
}

}  // namespace

http_server::http_server(asio::any_io_executor const& executor, tcp::endpoint const& at) : acceptor_(executor, at) {}

void http_server::start(site& s)
{
    asio::co_spawn(acceptor_.get_executor(), accept(s), asio::detached);
}

asio::awaitable<void> http_server::accept(site& s)
{
    asio::steady_timer timer(acceptor_.get_executor());
    while (!s.is_stopping) {
        boost::system::error_code ec;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
        if (s.is_stopping)
            break;
        if (ec) {
            // Such as EMFILE: without the pause this would be a busy loop.
            timer.expires_after(100ms);
            co_await timer.async_wait(asio::use_awaitable);
        } else if (s.open.size() < most_connections || make_room(s)) {
            asio::co_spawn(acceptor_.get_executor(), serve(s, std::move(socket)), asio::detached);
        } else {
            ++s.counts.refused;
            turn_away(std::move(socket));
        }
    }
}

void http_server::stop(site& s)
{
    s.is_stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    for (auto const& each : s.open)
        each.stream->close();
}

}  // namespace holdfast::cli::dashboard
