//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// An HTTP server on four threads. `POST /reports/NAME` writes a report, which only one process may do at a time. A
// request waits for its turn for a bounded time, and has a deadline as a whole.
//
//     http_server [URL [PORT]]

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <boost/asio.hpp>
#include <boost/beast.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using request = http::request<http::string_body>;
using response = http::response<http::string_body>;
using namespace std::chrono_literals;

constexpr auto longest_wait = 500ms;   // for the lock
constexpr auto request_deadline = 2s;  // for the request as a whole

// The work. with_lock() cancels it when the lease is lost, and so does the deadline of the request.
asio::awaitable<void> write_report(holdfast::lease&)
{
    asio::steady_timer work(co_await asio::this_coro::executor, 100ms);
    co_await work.async_wait();
}

response answer(request const& to, http::status status, std::string const& text)
{
    response r(status, to.version());
    r.set(http::field::content_type, "text/plain");
    if (status == http::status::service_unavailable)
        r.set(http::field::retry_after, "1");
    r.keep_alive(to.keep_alive());
    r.body() = text + '\n';
    r.prepare_payload();
    return r;
}

// What the client of the server is told when the report was not written.
response failure(request const& to, holdfast::error_code why)
{
    if (why == holdfast::errc::busy)
        return answer(to, http::status::service_unavailable, "another request writes this report");
    if (why == asio::error::operation_aborted)
        return answer(to, http::status::gateway_timeout, "the deadline of the request has passed");
    if (why == holdfast::errc::lease_lost)
        return answer(to, http::status::internal_server_error, "the lock was lost, and the report was stopped");
    return answer(to, http::status::service_unavailable, why.message());
}

asio::awaitable<void> report(holdfast::client& client, std::string name)
{
    holdfast::mutex lock{client, "report:" + name};
    co_await holdfast::with_lock(lock, {.wait = longest_wait}, write_report);
}

asio::awaitable<response> respond(holdfast::client& client, request const& r)
{
    std::string const prefix = "/reports/", target = r.target();
    if (r.method() != http::verb::post || !target.starts_with(prefix) || target.size() == prefix.size())
        co_return answer(r, http::status::not_found, "POST /reports/NAME writes a report");
    try {
        // The deadline cancels the wait for the lock, or the work. In both cases the lock is released.
        co_await asio::co_spawn(
            co_await asio::this_coro::executor,
            report(client, target.substr(prefix.size())),
            asio::cancel_after(request_deadline, asio::use_awaitable));
    } catch (boost::system::system_error const& e) {
        co_return failure(r, e.code());
    }
    co_return answer(r, http::status::ok, "written");
}

asio::awaitable<void> serve(tcp::socket socket, holdfast::client& client)
{
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    for (bool keep_alive = true; keep_alive;) {
        request r;
        stream.expires_after(30s);
        auto const [no_request, size] = co_await http::async_read(
            stream, buffer, r, asio::as_tuple(asio::use_awaitable));
        if (no_request)
            co_return;
        stream.expires_never();
        auto const reply = co_await respond(client, r);
        keep_alive = reply.keep_alive();
        auto const [error, written] = co_await http::async_write(stream, reply, asio::as_tuple(asio::use_awaitable));
        if (error)
            co_return;
    }
}

asio::awaitable<void> listen(tcp::acceptor& acceptor, holdfast::client& client)
{
    for (;;) {
        // A strand for each connection: it has no data race, although the context runs on four threads.
        asio::any_io_executor const strand = asio::make_strand(acceptor.get_executor());
        auto [error, socket] = co_await acceptor.async_accept(strand, asio::as_tuple);
        if (error)
            co_return;
        asio::co_spawn(strand, serve(std::move(socket), client), asio::detached);
    }
}

asio::awaitable<void> shut_down_on_signal(asio::thread_pool& threads, holdfast::client& client)
{
    asio::signal_set signals(threads, SIGINT, SIGTERM);
    co_await signals.async_wait();
    co_await client.shutdown({.grace = 5s, .cancel_after = 4s});
    threads.stop();
}

int main(int argc, char** argv)
try {
    asio::thread_pool threads(4);
    // The client may be used on all threads: it has a strand of its own.
    holdfast::client client{threads, {.url = argc > 1 ? argv[1] : "redis://localhost"}};
    client.run(asio::detached);
    auto const port = static_cast<unsigned short>(argc > 2 ? std::stoi(argv[2]) : 8080);
    tcp::acceptor acceptor(threads, {asio::ip::address_v4::loopback(), port});
    asio::co_spawn(threads, listen(acceptor, client), asio::detached);
    asio::co_spawn(threads, shut_down_on_signal(threads, client), asio::detached);
    std::cout << "port " << acceptor.local_endpoint().port() << std::endl;
    threads.join();
    std::cout << "the server has ended\n";
} catch (std::exception const& e) {
    std::cerr << "http_server: " << e.what() << '\n';
    return 1;
}
