//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/link.hpp"

#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/redis/connection.hpp>

#include "redis/push_reader.hpp"
#include "redis/tls.hpp"
#include "redis/words.hpp"

namespace holdfast::redis {
namespace {

using boost::redis::operation;
using boost::system::error_code;

// Boost.Redis hands what the server says against its own setup request to its log only.
constexpr std::string_view setup_failed = "Setup request execution failed: ";

class redis_link final : public link, private push_receiver {
public:
    redis_link(
        engine::strand const& on, boost::asio::ssl::context tls, engine::log log, link_owner& owner, redis::greeting g)
        : connection_(on, std::move(tls), logger()),
          log_(std::move(log)),
          owner_(owner),
          greeting_(std::move(g)),
          pushes_(*this)
    {
        connection_.set_receive_response(pushes_);
    }

    void start(boost::redis::config const&) override;
    void kill(std::uint64_t) override;
    void execute(std::shared_ptr<batch>) override;
    void abort() override;
    redis::greeting const& greeting() const noexcept override { return greeting_; }
    std::string refusal(error_code) const override;
    std::string description(error_code) override;

private:
    std::shared_ptr<redis_link> self() { return std::static_pointer_cast<redis_link>(shared_from_this()); }

    void on_message(std::string_view channel) override { owner_.on_message(*this, channel); }
    void on_unsolicited(std::string_view words) override { owner_.on_unsolicited(*this, words); }

    boost::redis::logger logger();
    void log(boost::redis::logger::level, std::string_view line);
    void greet();
    void drain_pushes();
    auto& stream();
    void set_no_delay();
    void discard_unsent();

    boost::redis::basic_connection<engine::strand> connection_;
    engine::log log_;
    link_owner& owner_;
    redis::greeting greeting_;
    push_reader pushes_;
    boost::redis::request kill_;
    std::string setup_words_;
    bool uses_tls_ = false;
    bool is_aborted_ = false;
};

auto& redis_link::stream()
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return connection_.next_layer();  // deprecated without a replacement
#pragma GCC diagnostic pop
}

boost::redis::logger redis_link::logger()
{
    using level = boost::redis::logger::level;
    return {level::info, [this](level l, std::string_view line) { log(l, line); }};
}

void redis_link::log(boost::redis::logger::level l, std::string_view line)
{
    if (line.starts_with(setup_failed))
        setup_words_ = without_arguments(line.substr(setup_failed.size()));
    if (l >= boost::redis::logger::level::info)
        log_.debug(printable(line));
    else
        log_.info(printable(line));
}

void redis_link::start(boost::redis::config const& how)
{
    uses_tls_ = how.use_ssl;
    greet();
    connection_.async_run(
        how, [link = self(), keep = owner_.keep()](error_code ec) { link->owner_.on_ended(*link, ec); });
    drain_pushes();
}

void redis_link::greet()
{
    connection_.async_exec(
        greeting_.request(), greeting_.adapter(), [link = self(), keep = owner_.keep()](error_code ec, std::size_t) {
            if (ec)
                return;  // the run operation fails with it
            link->set_no_delay();
            link->owner_.on_greeted(*link);
        });
}

void redis_link::kill(std::uint64_t connection_number)
{
    kill_.get_config().cancel_on_connection_lost = true;
    kill_.push("CLIENT", "KILL", "ID", connection_number);
    connection_.async_exec(
        kill_, greeting_.barrier_adapter(), [link = self(), keep = owner_.keep()](error_code ec, std::size_t) {
            if (!ec)
                link->owner_.on_barrier(*link);
        });
}

void redis_link::execute(std::shared_ptr<batch> b)
{
    auto const& request = b->request();
    auto adapter = b->adapter();
    connection_.async_exec(
        request,
        std::move(adapter),
        [link = self(), keep = owner_.keep(), b = std::move(b)](
            error_code ec, std::size_t) { link->owner_.on_finished(b, ec); });
}

// Pushes are read as they are parsed, but Boost.Redis stops reading when 256 of them were not asked for.
void redis_link::drain_pushes()
{
    connection_.async_receive2([link = self(), keep = owner_.keep()](error_code ec) {
        if (!ec && !link->is_aborted_)
            link->drain_pushes();
    });
}

void redis_link::abort()
{
    is_aborted_ = true;
    discard_unsent();
    connection_.cancel(operation::all);
}

std::string redis_link::refusal(error_code ec) const
{
    if (!greeting_.refused().empty())
        return greeting_.refused();
    return ec == boost::redis::error::resp3_hello ? setup_words_ : std::string();
}

std::string redis_link::description(error_code ec)
{
    bool const is_tls = uses_tls_ && ec.category() == boost::asio::error::get_ssl_category();
    auto const failure = is_tls ? verification_failure(stream().native_handle()) : std::string();
    return failure.empty() ? ec.message() : ec.message() + ": " + failure;
}

// Boost.Redis leaves Nagle's algorithm on: a second batch would wait for the reply to the first.
void redis_link::set_no_delay()
{
    error_code ignored;  // a UNIX socket in use, whose twin here is not open
    stream().next_layer().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

// A connection that we do not trust must not deliver what the system still holds for it.
void redis_link::discard_unsent()
{
    error_code ignored;
    stream().next_layer().set_option(boost::asio::socket_base::linger(true, 0), ignored);
}

}  // namespace

std::shared_ptr<link> link::make(
    engine::strand const& on,
    boost::asio::ssl::context tls,
    engine::log const& log,
    link_owner& owner,
    redis::greeting greeting)
{
    return std::make_shared<redis_link>(on, std::move(tls), log, owner, std::move(greeting));
}

}  // namespace holdfast::redis
