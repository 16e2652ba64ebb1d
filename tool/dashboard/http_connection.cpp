//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/http_connection.hpp"

#include <optional>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "tool/dashboard/event_stream.hpp"
#include "tool/dashboard/routes.hpp"

namespace holdfast::cli::dashboard {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using boost::beast::tcp_stream;
using boost::system::error_code;

// Counts a connection, and lets the site close it when the dashboard stops.
class registration {
public:
    registration(site& s, tcp_stream& stream) : site_(s), place_(s.open.insert(s.open.end(), {&stream}))
    {
        ++site_.counts.connections;
    }
    ~registration()
    {
        site_.open.erase(place_);
        --site_.counts.connections;
    }
    registration(registration const&) = delete;
    registration& operator=(registration const&) = delete;

    void begin_step() { site_.open.splice(site_.open.end(), site_.open, place_); }
    void begin_stream() { place_->must_stay = true; }

private:
    site& site_;
    std::list<open_connection>::iterator place_;
};

class stream_count {
public:
    explicit stream_count(std::uint64_t& n) : n_(n) { ++n_; }
    ~stream_count() { --n_; }
    stream_count(stream_count const&) = delete;
    stream_count& operator=(stream_count const&) = delete;

private:
    std::uint64_t& n_;
};

// The answer to a request that could not be read; nothing: the connection is lost or too slow.
std::optional<answer> answer_to(error_code ec)
{
    if (ec == http::error::header_limit)
        return plain(http::status::request_header_fields_too_large, "The header is too large.\n");
    if (ec == http::error::body_limit)
        return plain(http::status::payload_too_large, "The body is too large.\n");
    if (ec.category() == make_error_code(http::error::bad_method).category() && ec != http::error::end_of_stream
        && ec != http::error::partial_message)
        return plain(http::status::bad_request, "This is no request of HTTP.\n");
    return std::nullopt;
}

awaitable<error_code> read(tcp_stream& from, boost::beast::flat_buffer& buffer, request& to)
{
    http::request_parser<http::string_body> parser;
    parser.header_limit(most_header_bytes);
    parser.body_limit(most_body_bytes);
    error_code ec;
    from.expires_after(longest_read);
    co_await http::async_read(from, buffer, parser, asio::redirect_error(asio::use_awaitable, ec));
    to = parser.release();
    co_return ec;
}

// Returns whether the connection can take another request.
awaitable<bool> write(tcp_stream& stream, answer const& a, request const& to)
{
    auto const r = to_response(a, to);
    error_code ec;
    stream.expires_after(longest_write);
    co_await http::async_write(stream, r, asio::redirect_error(asio::use_awaitable, ec));
    co_return !ec && r.keep_alive();
}

awaitable<bool> serve_stream(site& s, tcp_stream& stream, registration& registered, request const& r)
{
    if (s.counts.streams >= most_streams) {
        ++s.counts.refused;
        auto const refused = plain(http::status::service_unavailable, "There are too many streams of events.\n");
        co_return co_await write(stream, refused, r);
    }
    stream_count const counted(s.counts.streams);
    registered.begin_stream();
    co_await stream_events(s, stream);
    co_return false;
}

awaitable<bool> serve_request(site& s, tcp_stream& stream, registration& registered, request const& r)
{
    registered.begin_step();
    ++s.counts.requests;
    auto const refusal = refusal_of(s, r);
    if (refusal) {
        ++s.counts.refused;
        co_return co_await write(stream, *refusal, r);
    }
    if (is_stream_request(r))
        co_return co_await serve_stream(s, stream, registered, r);
    auto const a = co_await respond(s, r);
    co_return co_await write(stream, a, r);
}

awaitable<void> refuse_unread(site& s, tcp_stream& stream, error_code ec)
{
    auto const a = answer_to(ec);
    if (!a)
        co_return;
    ++s.counts.refused;
    request r(http::verb::get, "/", 11);
    r.keep_alive(false);
    co_await write(stream, *a, r);
}

}  // namespace

awaitable<void> serve(site& s, asio::ip::tcp::socket socket)
{
    tcp_stream stream(std::move(socket));
    registration registered(s, stream);
    boost::beast::flat_buffer buffer(most_header_bytes + most_body_bytes);
    for (bool goes_on = true; goes_on && !s.is_stopping;) {
        registered.begin_step();
        request r;
        if (auto const ec = co_await read(stream, buffer, r)) {
            co_await refuse_unread(s, stream, ec);
            break;
        }
        goes_on = co_await serve_request(s, stream, registered, r);
    }
    error_code ignored;
    stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace holdfast::cli::dashboard
