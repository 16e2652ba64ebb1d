//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "support/certificates.hpp"
#include "support/redis_server.hpp"
#include "support/session_probe.hpp"
#include "support/tls_port.hpp"

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

// A redis-server with TLS on a port of its own.
struct tls_server {
    tls_server(certificates& authority, certificates::pair const& own, std::string const& more = "tls-auth-clients no")
        : port(tls_port()), server(lines(port, authority, own, more))
    {}

    static std::vector<std::string> lines(
        std::uint16_t port, certificates const& authority, certificates::pair const& own, std::string const& more)
    {
        auto all = tls_lines(port, authority, own);
        all.push_back(more);
        return all;
    }

    std::string url(std::string const& host) const { return "rediss://" + host + ":" + std::to_string(port); }

    std::uint16_t port;
    redis_server server;
};

config trusting(certificates const& authority, std::string url)
{
    auto c = session_probe::with_url(std::move(url));
    c.tls.ca_file = authority.ca_file();
    return c;
}

// Accepts one TLS connection and returns the server name that the client sent.
class name_listener {
public:
    explicit name_listener(certificates::pair const& own) : context_(boost::asio::ssl::context::tls_server)
    {
        context_.use_certificate_chain_file(own.certificate_file);
        context_.use_private_key_file(own.key_file, boost::asio::ssl::context::pem);
        thread_ = std::thread([this] { take_one(); });
    }

    ~name_listener() { thread_.join(); }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    std::optional<std::string> join()
    {
        thread_.join();
        thread_ = std::thread([] {});
        return name_;
    }

private:
    void take_one()
    {
        boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(acceptor_.accept(), context_);
        boost::system::error_code ignored;
        stream.handshake(boost::asio::ssl::stream_base::server, ignored);
        if (auto const* name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name))
            name_ = name;
    }

    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
    boost::asio::ssl::context context_;
    std::optional<std::string> name_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("session TLS: a trusted certificate for the host's name or address is accepted", "[redis]")
{
    certificates authority;
    tls_server server(authority, authority.sign("server", "DNS:localhost,IP:127.0.0.1"));
    for (std::string const host : {"localhost", "127.0.0.1"}) {
        CAPTURE(host);
        session_probe probe(trusting(authority, server.url(host)));
        REQUIRE(probe.start_and_open());
        CHECK(probe.execute({"PING"}).text == "PONG");
        probe.session().drop("test");  // the second handshake with the same context
        REQUIRE(probe.run_until([&] { return probe.opened == 2; }));
        CHECK(probe.execute({"PING"}).text == "PONG");
    }
}

TEST_CASE("session TLS: a certificate for another host is refused", "[redis]")
{
    certificates authority;
    tls_server server(authority, authority.sign("server", "DNS:other.example,IP:127.0.0.2"));
    for (std::string const host : {"localhost", "127.0.0.1"}) {
        CAPTURE(host);
        session_probe probe(trusting(authority, server.url(host)));
        probe.start();
        REQUIRE(probe.run_until([&] { return probe.closed.size() >= 2; }));
        CHECK(probe.opened == 0);
        CAPTURE(probe.closed.at(0).words);
        CHECK(
            probe.closed.at(0).words.find(host == "localhost" ? "ostname mismatch" : "IP address mismatch")
            != std::string::npos);
    }
}

TEST_CASE("session TLS: a certificate of an untrusted authority is refused", "[redis]")
{
    certificates authority;
    certificates stranger;
    tls_server server(authority, authority.sign("server", "DNS:localhost"));
    session_probe probe(trusting(stranger, server.url("localhost")));
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.opened == 0);
    CAPTURE(probe.closed.at(0).words);
    CHECK(probe.closed.at(0).words.find("certificate") != std::string::npos);

    session_probe with_system_authorities(server.url("localhost"));
    with_system_authorities.start();
    REQUIRE(with_system_authorities.run_until([&] { return !with_system_authorities.closed.empty(); }));
    CHECK(with_system_authorities.opened == 0);
}

TEST_CASE("session TLS: insecure_skip_verify accepts any certificate, and is logged", "[redis]")
{
    certificates authority;
    tls_server server(authority, authority.sign("server", "DNS:other.example"));
    auto options = session_probe::with_url(server.url("localhost"));
    options.tls.insecure_skip_verify = true;
    session_probe probe(options);
    CHECK(probe.count_of_lines("insecure_skip_verify") == 1);
    REQUIRE(probe.start_and_open());
}

TEST_CASE("session TLS: a client certificate is sent if configured, to a server that requires one", "[redis]")
{
    certificates authority;
    auto const own = authority.sign("client", "DNS:client");
    tls_server server(authority, authority.sign("server", "DNS:localhost"), "tls-auth-clients yes");
    auto options = trusting(authority, server.url("localhost"));
    session_probe without(options);
    without.start();
    REQUIRE(without.run_until([&] { return !without.closed.empty(); }));
    CHECK(without.opened == 0);

    options.tls.certificate_file = own.certificate_file;
    options.tls.private_key_file = own.key_file;
    session_probe with(options);
    REQUIRE(with.start_and_open());
}

TEST_CASE("session TLS: the name of the host is sent as server name", "[redis]")
{
    certificates authority;
    auto const own = authority.sign("server", "DNS:localhost");
    name_listener listener(own);
    session_probe probe(trusting(authority, "rediss://localhost:" + std::to_string(listener.port())));
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(listener.join() == "localhost");
}

TEST_CASE("session TLS: no server name is sent for an IP address", "[redis]")
{
    certificates authority;
    auto const own = authority.sign("server", "IP:127.0.0.1");
    name_listener listener(own);
    session_probe probe(trusting(authority, "rediss://127.0.0.1:" + std::to_string(listener.port())));
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(listener.join() == std::nullopt);
}

TEST_CASE("session TLS: a failed handshake with a server without TLS is not a permanent error", "[redis]")
{
    redis_server server;
    session_probe probe("rediss://localhost:" + std::to_string(server.port()));
    probe.start();
    REQUIRE(probe.run_until([&] { return !probe.closed.empty(); }));
    CHECK(probe.opened == 0);
    CHECK_FALSE(probe.closed.at(0).permanent);
    CAPTURE(probe.closed.at(0).words);
    CHECK(probe.closed.at(0).words.find(" to the TLS handshake") != std::string::npos);
    CHECK(probe.closed.at(0).words.ends_with(": does the server expect TLS at this port?"));
}

// As a server without TLS does when the handshake has the end of a line.
TEST_CASE("session TLS: a reply to the handshake that is not TLS is no permanent error", "[redis]")
{
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    boost::asio::ip::tcp::socket client(io);
    std::thread server([&] {
        acceptor.accept(client);
        std::array<char, 4096> handshake{};
        client.read_some(boost::asio::buffer(handshake));
        boost::asio::write(client, boost::asio::buffer(std::string_view("-ERR unknown command\r\n")));
    });
    session_probe probe("rediss://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    probe.start();
    CHECK(probe.run_until([&] { return !probe.closed.empty(); }));
    server.join();
    REQUIRE_FALSE(probe.closed.empty());
    CHECK_FALSE(probe.closed.at(0).permanent);
    CHECK(probe.closed.at(0).words.ends_with(
        ": the reply to the TLS handshake is not TLS: does the server expect TLS at this port?"));
}

TEST_CASE("session TLS: the exception for an unusable file names the option", "[redis]")
{
    using Catch::Matchers::ContainsSubstring;
    using Catch::Matchers::MessageMatches;
    certificates authority;
    auto const own = authority.sign("client", "DNS:client");
    auto const other = authority.sign("other", "DNS:other");
    auto const fault = [](tls_options const& tls) -> std::string {
        auto c = session_probe::with_url("rediss://localhost");
        c.tls = tls;
        try {
            session_probe probe(c);
        } catch (std::invalid_argument const& e) {
            return e.what();
        }
        return "none";
    };
    CHECK_THAT(fault({.ca_file = "/no/such"}), ContainsSubstring("tls.ca_file: cannot use '/no/such'"));
    CHECK_THAT(
        fault({.certificate_file = own.certificate_file}), ContainsSubstring("tls.private_key_file: must be set"));
    CHECK_THAT(fault({.private_key_file = own.key_file}), ContainsSubstring("tls.certificate_file: must be set"));
    CHECK_THAT(
        fault({.certificate_file = own.key_file, .private_key_file = own.key_file}),
        ContainsSubstring("tls.certificate_file: cannot use"));
    CHECK_THAT(
        fault({.certificate_file = own.certificate_file, .private_key_file = own.certificate_file}),
        ContainsSubstring("tls.private_key_file: cannot use"));
    CHECK_THAT(
        fault({.certificate_file = own.certificate_file, .private_key_file = other.key_file}),
        ContainsSubstring("tls.private_key_file"));
    CHECK(fault({.certificate_file = own.certificate_file, .private_key_file = own.key_file}) == "none");
}
