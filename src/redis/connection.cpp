//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/connection.hpp"

#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/redis/connection.hpp>
#include <boost/redis/request.hpp>

#include <holdfast/error.hpp>

#include "redis/commands_without_reply.hpp"
#include "redis/push_reader.hpp"
#include "redis/reply_reader.hpp"
#include "redis/tls.hpp"
#include "session/words.hpp"

namespace holdfast::redis {
namespace {

using boost::redis::operation;
using boost::system::error_code;
using session::printable;
using session::without_arguments;

// Boost.Redis passes the error text of a refused setup request to its logger only. The client needs it for its own
// error, so the logger recognises the line by this prefix.
constexpr std::string_view setup_failed = "Setup request execution failed: ";
// The same for what each sentinel said.
constexpr std::string_view sentinels_failed = "Failed to resolve the address of master ";

// How many requests are kept for reuse.
constexpr std::size_t most_spent = 16;

// All commands of one flush are one request: most of the cost of Boost.Redis is for each request, not for each command.
using request_ptr = std::shared_ptr<boost::redis::request>;

// The lines of Boost.Redis about sentinels: one for each, indented.
std::string on_one_line(std::string_view text)
{
    std::string line;
    for (char const c : text) {
        bool const is_space = c == '\n' || c == ' ';
        if (!is_space)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

class redis_connection final : public session::connection,
                               private push_receiver,
                               public std::enable_shared_from_this<redis_connection> {
public:
    redis_connection(
        engine::strand const& on,
        boost::asio::ssl::context tls,
        engine::log log,
        std::weak_ptr<session::connection_events> events)
        : strand_(on),
          connection_(on, std::move(tls), logger()),
          log_(std::move(log)),
          weak_events_(std::move(events)),
          events_(*weak_events_.lock()),
          pushes_(*this)
    {
        connection_.set_receive_response(pushes_);
    }

    void start(boost::redis::config const&);

    void send(std::span<std::string_view const>) override;
    void send_without_reply(std::string_view verb, std::span<std::string const> arguments) override;
    void flush() override;
    void close() noexcept override;

private:
    // The owners that each pending handler has.
    struct kept {
        std::shared_ptr<redis_connection> connection;
        std::shared_ptr<session::connection_events> events;
    };
    kept keep() { return {shared_from_this(), weak_events_.lock()}; }

    void on_message(std::string_view channel) override;
    void on_subscribed(std::string_view channel) override;
    void on_unsubscribed(std::string_view channel) override;
    // The error text with which a server refuses a connection, for example at its limit of clients: it is no reply to a
    // command.
    void on_unsolicited(std::string_view words) override { refusal_ = without_arguments(words); }

    request_ptr fresh_request();
    void read(boost::redis::resp3::node_view const&, error_code&);
    void on_ended(error_code);
    std::string description(error_code);

    boost::redis::logger logger();
    void log(std::string_view line);
    void drain_pushes();
    boost::redis::request& collecting();
    auto& stream();
    void set_no_delay();
    void discard_unsent();

    engine::strand strand_;
    boost::redis::basic_connection<engine::strand> connection_;
    engine::log log_;
    std::weak_ptr<session::connection_events> const weak_events_;
    session::connection_events& events_;  // alive as long as a handler is pending, so no lock() for each reply
    push_reader pushes_;
    reply_reader reader_;
    request_ptr collecting_;          // the commands since the last flush; null: none
    std::vector<request_ptr> spent_;  // for reuse, with their buffers (rule 24)
    std::string refusal_;             // the error text of a server that does not accept this client
    std::string setup_words_;         // the same, of a master to which a Sentinel led
    std::string sentinel_words_;      // why no sentinel led to a master
    bool uses_tls_ = false;
    bool is_used_ = false;       // the first reply has arrived, so the connection is established
    bool is_closed_ = false;     // no event follows
    bool is_malformed_ = false;  // a reply could not be read
};

auto& redis_connection::stream()
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return connection_.next_layer();  // deprecated, but there is no replacement
#pragma GCC diagnostic pop
}

boost::redis::logger redis_connection::logger()
{
    using level = boost::redis::logger::level;
    return {level::info, [this](level, std::string_view line) { log(line); }};
}

// Lines of Boost.Redis are for the debugging of a connection. What users must know is logged by the session.
void redis_connection::log(std::string_view line)
{
    if (line.starts_with(setup_failed))
        setup_words_ = without_arguments(line.substr(setup_failed.size()));
    if (line.starts_with(sentinels_failed))
        sentinel_words_ = on_one_line(line);
    log_.debug(printable(line));
}

void redis_connection::start(boost::redis::config const& how)
{
    uses_tls_ = how.use_ssl;
    connection_.async_run(how, [k = keep()](error_code ec) { k.connection->on_ended(ec); });
    drain_pushes();
}

// ---- sending

request_ptr redis_connection::fresh_request()
{
    if (spent_.empty()) {
        auto r = std::make_shared<boost::redis::request>();
        // No request may wait in the queue of Boost.Redis until the connection is established again (rule 11).
        r->get_config().cancel_on_connection_lost = true;
        r->get_config().cancel_if_unresponded = true;
        return r;
    }
    auto r = std::move(spent_.back());
    spent_.pop_back();
    r->clear();
    return r;
}

// push(), not subscribe(): Boost.Redis would restore the subscription on its own, without a guard (rule 10).
void redis_connection::send(std::span<std::string_view const> words)
{
    if (words.size() == 1)
        collecting().push(words.front());
    else
        collecting().push_range(words.front(), words.begin() + 1, words.end());
}

void redis_connection::send_without_reply(std::string_view verb, std::span<std::string const> arguments)
{
    collecting().push("PING", commands_without_reply{verb, arguments});
}

boost::redis::request& redis_connection::collecting()
{
    if (!collecting_)
        collecting_ = fresh_request();
    return *collecting_;
}

void redis_connection::flush()
{
    if (!collecting_)
        return;
    auto r = std::exchange(collecting_, nullptr);
    r->get_config().cancel_if_not_connected = is_used_;  // only the greeting waits until the connection is established
    auto const& request = *r;                            // before `r` is moved; the handler keeps the request alive
    using event = boost::redis::any_adapter::parse_event;
    connection_.async_exec(
        request,
        // `this` is enough: the handler keeps the object alive until the request has ended.
        boost::redis::any_adapter::impl_t([this](event e, auto const& node, auto& ec) {
            if (e == event::node)
                read(node, ec);
        }),
        [k = keep(), r = std::move(r)](error_code, std::size_t) {
            if (k.connection->spent_.size() < most_spent)
                k.connection->spent_.push_back(r);
        });
}

// ---- receiving

// Boost.Redis calls it for each node while it parses, so each reply reaches its command without waiting for the others
// of the request. The session may close this connection in each of the calls; then the error makes Boost.Redis stop
// parsing, and no further reply is given to a command.
void redis_connection::read(boost::redis::resp3::node_view const& node, error_code& ec)
{
    using progress = reply_reader::progress;
    auto const p = is_closed_ ? progress::more : reader_.take(node);
    if (p == progress::complete || p == progress::error) {
        if (!std::exchange(is_used_, true))
            set_no_delay();
        p == progress::complete ? events_.on_reply(reader_.value())
                                : events_.on_error(without_arguments(reader_.words()));
    }
    is_malformed_ = is_malformed_ || p == progress::malformed;
    if (is_closed_ || is_malformed_)
        ec = errc::protocol;
}

void redis_connection::on_message(std::string_view channel)
{
    if (!is_closed_)
        events_.on_message(channel);
}

void redis_connection::on_subscribed(std::string_view channel)
{
    if (!is_closed_)
        events_.on_subscribed(channel);
}

void redis_connection::on_unsubscribed(std::string_view channel)
{
    if (!is_closed_)
        events_.on_unsubscribed(channel);
}

// Pushes reach push_reader while they are parsed, but Boost.Redis also counts them, and stops reading from the socket
// when 256 of them were not received. This loop receives them and does nothing else: it must never wait for a command
// (rule 12).
void redis_connection::drain_pushes()
{
    connection_.async_receive2([k = keep()](error_code ec) {
        if (!ec && !k.connection->is_closed_)
            k.connection->drain_pushes();
    });
}

// ---- the end

// The reasons in the order in which they explain the end: an error text of the server, a reply that made no sense, and
// the error of the transport. Nothing follows close().
void redis_connection::on_ended(error_code ec)
{
    if (std::exchange(is_closed_, true))
        return;
    auto const words = description(ec);
    if (ec == boost::redis::error::resp3_hello)
        refusal_ = setup_words_;
    if (!refusal_.empty())
        events_.on_ended({ec, refusal_, true});
    else if (is_malformed_)
        events_.on_ended({errc::protocol, "the client does not understand the server's reply", false});
    else
        events_.on_ended({ec, words, false});
}

// The message of the error code. Asio's for a failed handshake does not say why the certificate was not accepted, so
// that is added. A server without TLS waits for the end of a line when it receives a handshake, and one with TLS closes
// the connection when it receives a command.
std::string redis_connection::description(error_code ec)
{
    if (ec == boost::redis::error::ssl_handshake_timeout)
        return "no reply to the TLS handshake: does the server expect TLS at this port?";
    if (ec == boost::redis::error::sentinel_resolve_failed && !sentinel_words_.empty())
        return sentinel_words_;
    if (!uses_tls_ && !is_used_ && (ec == boost::asio::error::eof || ec == boost::asio::error::connection_reset))
        return "the server closed the connection without a reply: does it expect TLS at this port?";
    bool const is_tls = uses_tls_ && ec.category() == boost::asio::error::get_ssl_category();
    auto const failure = is_tls ? verification_failure(stream().native_handle()) : std::string();
    return failure.empty() ? ec.message() : ec.message() + ": " + failure;
}

// The cancellation is posted, because this function may be called while Boost.Redis parses a reply.
void redis_connection::close() noexcept
{
    is_closed_ = true;
    boost::asio::post(strand_, [self = shared_from_this()] {
        self->discard_unsent();
        self->connection_.cancel(operation::all);
    });
}

// Boost.Redis does not switch Nagle's algorithm off. With it, the kernel would delay a second request until the server
// has acknowledged the first one. Called at the first reply: before that the socket may not be open.
void redis_connection::set_no_delay()
{
    error_code ignored;  // with a UNIX socket: the TCP socket is not open then
    stream().next_layer().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

// Closes the socket with a reset, so that the kernel discards what it has not sent. Otherwise it would go on sending
// after the client has given up the commands: an acquire that arrives then leaves a lock without a holder, until its
// lease time ends.
void redis_connection::discard_unsent()
{
    error_code ignored;
    stream().next_layer().set_option(boost::asio::socket_base::linger(true, 0), ignored);
}

}  // namespace

std::shared_ptr<session::connection> connect(
    engine::strand const& on,
    boost::asio::ssl::context tls,
    engine::log const& log,
    boost::redis::config const& how,
    std::weak_ptr<session::connection_events> events)
{
    // Two steps: start() needs shared_from_this(), which does not work in the constructor.
    auto fresh = std::make_shared<redis_connection>(on, std::move(tls), log, std::move(events));
    fresh->start(how);
    return fresh;
}

}  // namespace holdfast::redis
