//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/session_factory.hpp"

#include <stdexcept>

#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <holdfast/credentials.hpp>
#include <holdfast/testing/server.hpp>

#include "session/memory_transport.hpp"

namespace session_factory_test {

using namespace holdfast;

std::shared_ptr<engine::session> make_session(boost::asio::io_context& context, std::string url)
{
    return detail::make_io(engine::strand(context.get_executor()), {.url = std::move(url)}, {}).session;
}

// As in a program that is not linked with holdfast::testing.
class without_testing {
public:
    without_testing() : before_(session::memory_transport.exchange(nullptr)) {}
    ~without_testing() { session::memory_transport = before_; }

private:
    session::memory_io_maker const before_;
};

TEST_CASE("session factory: memory:// URLs work in a program that only links holdfast::testing", "[client]")
{
    boost::asio::io_context context;
    CHECK(make_session(context, "memory://seats"));
}

TEST_CASE("session factory: without holdfast::testing the error names the URL and the target to link", "[client]")
{
    without_testing const guard;
    boost::asio::io_context context;
    CHECK_THROWS_MATCHES(
        make_session(context, "memory://seats"),
        std::invalid_argument,
        Catch::Matchers::Message(
            "url: memory://seats needs a program that is linked with the CMake target holdfast::testing"));
    CHECK(make_session(context, "redis://localhost"));
}

TEST_CASE("session factory: only a client of a cluster can open sessions to further nodes", "[client][cluster]")
{
    boost::asio::io_context context;
    auto const make = [&](std::string url) {
        return detail::make_io(engine::strand(context.get_executor()), {.url = std::move(url)}, {});
    };
    auto const io = make("redis+cluster://:hunter2@h1,h2");
    CHECK(io.session);
    CHECK(io.open_node({"id", "h3", 7000}));
    CHECK_FALSE(make("redis://h1").open_node);
}

TEST_CASE("session factory: the name for which a certificate is issued must be one", "[client][tls]")
{
    boost::asio::io_context context;
    auto const make = [&](std::string url, std::string name) {
        config c{.url = std::move(url)};
        c.tls.server_name = std::move(name);
        return detail::make_io(engine::strand(context.get_executor()), c, {});
    };
    CHECK(make("rediss+cluster://h1", "cluster.example").open_node({"id", "10.0.0.1", 6379}));
    CHECK(make("rediss://h1", "::1").session);
    CHECK_THROWS_MATCHES(
        make("rediss://h1", "two names"),
        std::invalid_argument,
        Catch::Matchers::Message("tls.server_name: must be a host name or an address"));
    CHECK_THROWS_MATCHES(
        make("redis://h1", "h1"),
        std::invalid_argument,
        Catch::Matchers::Message(
            "tls.server_name: has an effect only with rediss://, rediss+cluster:// and rediss+sentinel://"));
}

TEST_CASE("session factory: credentials in the URL and a provider exclude each other", "[client][credentials]")
{
    boost::asio::io_context context;
    auto const make = [&](std::string url) {
        config c{.url = std::move(url)};
        c.credentials = [](credentials_request, credentials_handler) {};
        return detail::make_io(engine::strand(context.get_executor()), c, {}).session;
    };
    for (auto const* const url :
         {"redis://me:hunter2@localhost", "redis://:hunter2@localhost", "redis+sentinel://me:hunter2@localhost/name"})
        CHECK_THROWS_MATCHES(
            make(url),
            std::invalid_argument,
            Catch::Matchers::Message("credentials: the URL has a user or a password, too; give one of the two"));
    CHECK(make("redis://localhost/3"));
    CHECK(make("memory://"));
}

TEST_CASE("session factory: of the sentinels' credentials, too, only one source is accepted", "[client][credentials]")
{
    boost::asio::io_context context;
    auto const make = [&](std::string url) {
        config c{.url = std::move(url)};
        c.sentinel_credentials = [](credentials_request, credentials_handler) {};
        return detail::make_io(engine::strand(context.get_executor()), c, {}).session;
    };
    CHECK_THROWS_MATCHES(
        make("redis+sentinel://localhost/name?sentinel_password=hunter2"),
        std::invalid_argument,
        Catch::Matchers::Message(
            "sentinel_credentials: the URL has a password of the sentinels, too; give one of the two"));
    CHECK(make("redis+sentinel://:of-the-master@localhost/name"));
    CHECK(make("redis://localhost"));  // without sentinels it does nothing
}

TEST_CASE("session factory: a provider's password that is sent unencrypted is a warning", "[client][credentials]")
{
    boost::asio::io_context context;
    std::string logged;
    engine::log const log([&](log_level, std::string_view line) { logged = line; });
    config c{.url = "redis://redis.example.org"};
    c.credentials = [](credentials_request, credentials_handler) {};
    detail::make_io(engine::strand(context.get_executor()), c, log);
    CHECK(logged == "url: the password is sent without encryption; use rediss:// to encrypt it");
}

TEST_CASE("session factory: a testing server makes memory:// URLs work without a static initialiser", "[client]")
{
    without_testing const guard;
    boost::asio::io_context context;
    testing::server const redis(context);
    CHECK(make_session(context, redis.config().url));
}

}  // namespace session_factory_test
