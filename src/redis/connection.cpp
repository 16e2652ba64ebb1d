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

#include "core/memory_end.hpp"
#include "redis/commands_without_reply.hpp"
#include "redis/machine.hpp"
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

// How many requests are kept for reuse.
constexpr std::size_t most_spent = 16;

// All commands of one flush are one request: most of the cost of Boost.Redis is for each request, not for each command.
using request_ptr = std::shared_ptr<boost::redis::request>;

// A part of the handler of an operation without which the client would never connect again. Where Asio has no memory for
// the addresses of a name, it destroys the handler uncalled, and std::bad_alloc leaves run() of the execution context.
// Then the process ends, when the context runs again. A context that is destroyed runs nothing any more.
class must_be_called {
public:
    explicit must_be_called(engine::strand const& on) : on_(on) {}
    must_be_called(must_be_called const&) = delete;
    must_be_called& operator=(must_be_called const&) = delete;
    ~must_be_called()
    {
        if (!is_called_)
            boost::asio::post(on_, [] { core::end_without_memory(); });
    }

    void note_call() noexcept { is_called_ = true; }

private:
    engine::strand const on_;
    bool is_called_ = false;
};

class redis_connection final : public session::connection,
                               private push_receiver,
                               public std::enable_shared_from_this<redis_connection> {
public:
    redis_connection(
        engine::strand const& on,
        boost::asio::ssl::context tls,
        engine::log log,
        std::shared_ptr<addresses_of_host> addresses,
        std::weak_ptr<session::connection_events> events)
        : strand_(on),
          connection_(on, std::move(tls), logger()),
          log_(std::move(log)),
          resolver_(on),
          addresses_(std::move(addresses)),
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

    // -1 for a UNIX socket, too: Boost.Redis does not give access to it.
    int descriptor() noexcept;
    // No event follows: it was closed, or this process is a forked child of the one that it belongs to.
    bool is_mute() const noexcept { return is_closed_ || is_inherited(); }
    bool is_inherited() const noexcept { return count_of_forks() != made_in_; }

    request_ptr fresh_request();
    void run(boost::redis::config);
    void choose_address(boost::redis::config const&, std::vector<std::string> const& known);
    void on_established();
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
    resolver resolver_;
    std::shared_ptr<addresses_of_host> const addresses_;
    std::weak_ptr<session::connection_events> const weak_events_;
    session::connection_events& events_;  // alive as long as a handler is pending, so no lock() for each reply
    push_reader pushes_;
    reply_reader reader_;
    request_ptr collecting_;          // the commands since the last flush; null: none
    std::vector<request_ptr> spent_;  // for reuse, with their buffers (rule 24)
    std::string refusal_;             // the error text of a server that does not accept this client
    std::uint64_t const made_in_ = count_of_forks();
    bool uses_tls_ = false;
    bool has_subscribed_ = false;
    bool is_used_ = false;       // the first reply has arrived, so the connection is established
    bool is_closed_ = false;     // no event follows
    bool is_malformed_ = false;  // a reply could not be read
    unshared_socket const unshared_{
        [](void* c) noexcept { return static_cast<redis_connection*>(c)->descriptor(); }, this};
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
    log_.debug(printable(line));
}

void redis_connection::start(boost::redis::config const& how)
{
    uses_tls_ = how.use_ssl;
    if (addresses_->leader)
        addresses_->choice.follow(addresses_->leader->choice);
    if (!addresses_->choice.needs_addresses() || how.addr.host.empty() || !how.unix_socket.empty())
        return run(how);
    auto found = [k = keep(), how, called = std::make_shared<must_be_called>(strand_)](
                     error_code ec, std::vector<std::string> const& a) {
        called->note_call();
        if (ec)
            return k.connection->on_ended(ec);
        if (!k.connection->is_mute())
            k.connection->choose_address(how, a);
    };
    addresses_->look_up(resolver_, how.addr.host, std::move(found));
}

// One line for each name that leads to a replica. Later ones are for debugging: the session logs what users must know.
void redis_connection::choose_address(boost::redis::config const& how, std::vector<std::string> const& known)
{
    bool const is_first = addresses_->choice.current().empty();
    addresses_->choice.choose(known);
    auto const& chosen = addresses_->choice.current();
    auto const line = how.addr.host + " has several addresses and has led to a replica; the client tries " + chosen;
    if (!chosen.empty())
        is_first ? log_.info(printable(line)) : log_.debug(printable(line));
    run(how);
}

// The chosen address replaces the name. TLS goes on to verify the name, which the context has.
void redis_connection::run(boost::redis::config how)
{
    if (auto const& chosen = addresses_->choice.current(); !chosen.empty())
        how.addr.host = chosen;
    connection_.async_run(how, [k = keep(), called = std::make_shared<must_be_called>(strand_)](error_code ec) {
        called->note_call();
        k.connection->on_ended(ec);
    });
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
    has_subscribed_ = has_subscribed_ || words.front() == "SUBSCRIBE";
    if (words.size() == 1)
        collecting().push(words.front());
    else
        collecting().push_range(words.front(), words.begin() + 1, words.end());
}

void redis_connection::send_without_reply(std::string_view verb, std::span<std::string const> arguments)
{
    has_subscribed_ = has_subscribed_ || verb == "SSUBSCRIBE";
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
    if (is_inherited())
        return;
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
    auto const p = is_mute() ? progress::more : reader_.take(node);
    if (p == progress::complete || p == progress::error) {
        if (!std::exchange(is_used_, true))
            on_established();
        p == progress::complete ? events_.on_reply(reader_.value())
                                : events_.on_error(without_arguments(reader_.words()));
    }
    is_malformed_ = is_malformed_ || p == progress::malformed;
    if (is_mute() || is_malformed_)
        ec = errc::protocol;
}

void redis_connection::on_message(std::string_view channel)
{
    if (!is_mute())
        events_.on_message(channel);
}

void redis_connection::on_subscribed(std::string_view channel)
{
    if (!is_mute())
        events_.on_subscribed(channel);
}

void redis_connection::on_unsubscribed(std::string_view channel)
{
    if (!is_mute())
        events_.on_unsubscribed(channel);
}

// Pushes reach push_reader while they are parsed, but Boost.Redis also counts them, and stops reading from the socket
// when 256 of them were not received. This loop receives them and does nothing else: it must never wait for a command
// (rule 12).
void redis_connection::drain_pushes()
{
    connection_.async_receive2([k = keep()](error_code ec) {
        if (!ec && !k.connection->is_mute())
            k.connection->drain_pushes();
    });
}

// ---- the end

// The reasons in the order in which they explain the end: an error text of the server, a reply that made no sense, and
// the error of the transport. Nothing follows close().
void redis_connection::on_ended(error_code ec)
{
    if (std::exchange(is_closed_, true) || is_inherited())
        return;
    addresses_->choice.on_ended();
    auto const words = description(ec);
    if (!refusal_.empty())
        events_.on_ended({ec, refusal_, true});
    else if (is_malformed_)
        events_.on_ended({errc::protocol, "the client does not understand the server's reply", false});
    else
        events_.on_ended({ec, words, false});
}

// The message of the error code. Asio's for a failed handshake does not say why the certificate was not accepted, so
// that is added. A server without TLS waits for the end of a line when it receives a handshake, and replies with an
// error if the handshake has one; one with TLS closes the connection when it receives a command. A server that has more
// output for a client with subscriptions than it may keep closes the connection without a word.
std::string redis_connection::description(error_code ec)
{
    if (ec == boost::redis::error::ssl_handshake_timeout)
        return "no reply to the TLS handshake: does the server expect TLS at this port?";
    bool const is_closed = ec == boost::asio::error::eof || ec == boost::asio::error::connection_reset;
    if (!uses_tls_ && !is_used_ && is_closed)
        return "the server closed the connection without a reply: does it expect TLS at this port?";
    if (is_closed && has_subscribed_)
        return ec.message()
               + ": the server has ended or has closed the connection; if this repeats, is its "
                 "client-output-buffer-limit for pubsub too small?";
    if (is_other_protocol(ec))
        return "the reply to the TLS handshake is not TLS: does the server expect TLS at this port?";
    bool const is_tls = uses_tls_ && ec.category() == boost::asio::error::get_ssl_category();
    auto const failure = is_tls ? verification_failure(stream().native_handle()) : std::string();
    return failure.empty() ? ec.message() : ec.message() + ": " + failure;
}

int redis_connection::descriptor() noexcept
{
    return stream().next_layer().native_handle();
}

// The cancellation is posted, because this function may be called while Boost.Redis parses a reply. Not so in a forked
// child, where no reply may be read any more, and nothing may be set on a socket that its parent has, too.
void redis_connection::close() noexcept
{
    if (!std::exchange(is_closed_, true))
        addresses_->choice.on_ended();
    if (is_inherited())
        return connection_.cancel(operation::all);
    boost::asio::post(strand_, [self = shared_from_this()] {
        self->resolver_.cancel();
        self->discard_unsent();
        self->connection_.cancel(operation::all);
    });
}

void redis_connection::on_established()
{
    set_no_delay();
    error_code ec;  // with a UNIX socket
    auto const peer = stream().next_layer().remote_endpoint(ec);
    if (!ec)
        addresses_->choice.on_established(peer.address().to_string());
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

void look_up(resolver& r, std::string const& host, take_addresses take)
{
    r.async_resolve(host, "", [take = std::move(take)](error_code ec, resolver::results_type const& found) {
        std::vector<std::string> addresses;
        for (auto const& f : found)
            addresses.push_back(f.endpoint().address().to_string());
        take(ec, std::move(addresses));
    });
}

std::shared_ptr<session::connection> connect(
    engine::strand const& on,
    boost::asio::ssl::context tls,
    engine::log const& log,
    boost::redis::config const& how,
    std::shared_ptr<addresses_of_host> addresses,
    std::weak_ptr<session::connection_events> events)
{
    // Two steps: start() needs shared_from_this(), which does not work in the constructor.
    auto fresh = std::make_shared<redis_connection>(on, std::move(tls), log, std::move(addresses), std::move(events));
    fresh->start(how);
    return fresh;
}

}  // namespace holdfast::redis
