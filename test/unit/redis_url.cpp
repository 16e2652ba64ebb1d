//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "redis/url.hpp"

namespace redis_url_test {

using namespace holdfast::redis;
using Catch::Matchers::ContainsSubstring;

std::string fault_of(std::string_view url)
{
    try {
        parse_url(url);
    } catch (std::invalid_argument const& e) {
        return e.what();
    }
    return "no fault";
}

TEST_CASE("url: redis:// is a TCP server, with port 6379 and database 0 unless given", "[redis]")
{
    auto const e = parse_url("redis://localhost");
    CHECK(e.transport == transport::tcp);
    REQUIRE(e.hosts.size() == 1);
    CHECK(e.hosts[0].host == "localhost");
    CHECK(e.hosts[0].port == 6379);
    CHECK_FALSE(e.has_password);
    CHECK(e.database == 0);
}

TEST_CASE("url: a URL may have percent-encoded credentials, a port and a database", "[redis]")
{
    auto const e = parse_url("rediss://us%65r:p%40ss%3a@db-1.example.com:7000/12");
    CHECK(e.transport == transport::tls);
    CHECK(e.user == "user");
    CHECK(e.password == "p@ss:");
    CHECK(e.hosts[0].host == "db-1.example.com");
    CHECK(e.hosts[0].port == 7000);
    CHECK(e.database == 12);
}

TEST_CASE("url: a password may be given without a user", "[redis]")
{
    auto const e = parse_url("redis://:secret@h/");
    CHECK(e.user.empty());
    CHECK(e.has_password);
    CHECK(e.password == "secret");
    CHECK(e.hosts[0].host == "h");
}

TEST_CASE("url: the last @ ends the credentials", "[redis]")
{
    auto const e = parse_url("redis://a:b@c@host");
    CHECK(e.password == "b@c");
    CHECK(e.hosts[0].host == "host");
}

TEST_CASE("url: an IPv6 address stands in brackets", "[redis]")
{
    auto const e = parse_url("redis://[::1]:6380/1");
    CHECK(e.hosts[0].host == "::1");
    CHECK(e.hosts[0].port == 6380);
    CHECK(parse_url("redis://[fe80::1]").hosts[0].port == 6379);
}

TEST_CASE("url: unix:// has the path of a socket, and the database as a parameter", "[redis]")
{
    auto const e = parse_url("unix://me:pw@/run/re%20dis.sock?db=3");
    CHECK(e.transport == transport::unix_socket);
    CHECK(e.socket_path == "/run/re dis.sock");
    CHECK(e.user == "me");
    CHECK(e.password == "pw");
    CHECK(e.database == 3);
    CHECK(parse_url("unix:///tmp/s").database == 0);
}

TEST_CASE("url: the sentinels have credentials of their own", "[redis]")
{
    auto const e = parse_url("redis+sentinel://u:p@h/m/1?sentinel_username=s%26t&sentinel_password=hunter%3f2");
    CHECK(e.user == "u");
    CHECK(e.password == "p");
    CHECK(e.database == 1);
    CHECK(e.has_sentinel_password);
    CHECK(e.sentinel_user == "s&t");
    CHECK(e.sentinel_password == "hunter?2");
    CHECK(redacted(e) == "redis+sentinel://u:***@h:26379/m/1?sentinel_username=s&t&sentinel_password=***");

    auto const default_user = parse_url("redis+sentinel://h/m?sentinel_password=p");
    CHECK(default_user.sentinel_user.empty());
    CHECK_FALSE(default_user.has_password);
    CHECK(redacted(default_user) == "redis+sentinel://h:26379/m/0?sentinel_password=***");
}

TEST_CASE("url: redis+sentinel:// has several hosts, the name of a master and a database", "[redis]")
{
    auto const e = parse_url("redis+sentinel://u:p@h1,h2:26380,[::1]:1/my%20master/5");
    CHECK(e.transport == transport::sentinel);
    REQUIRE(e.hosts.size() == 3);
    CHECK(e.hosts[0].port == 26379);
    CHECK(e.hosts[1].port == 26380);
    CHECK(e.hosts[2].host == "::1");
    CHECK(e.master_name == "my master");
    CHECK(e.database == 5);
    CHECK(e.password == "p");
    CHECK(parse_url("redis+sentinel://h/m").database == 0);
    CHECK_FALSE(e.has_sentinel_password);
    CHECK_FALSE(has_tls(e));
    auto const encrypted = parse_url("rediss+sentinel://u:p@h1,h2/m/5");
    CHECK(has_sentinels(encrypted));
    CHECK(has_tls(encrypted));
    CHECK(redacted(encrypted) == "rediss+sentinel://u:***@h1:26379,h2:26379/m/5");
}

TEST_CASE("url: redis+cluster:// and rediss+cluster:// have seeds and no database", "[redis][cluster]")
{
    auto const e = parse_url("redis+cluster://u:p@h1,h2:7000,[::1]:1");
    CHECK(e.transport == transport::tcp);
    CHECK(e.is_cluster);
    REQUIRE(e.hosts.size() == 3);
    CHECK(e.hosts[0].host == "h1");
    CHECK(e.hosts[0].port == 6379);
    CHECK(e.hosts[1].port == 7000);
    CHECK(e.hosts[2].host == "::1");
    CHECK(e.user == "u");
    CHECK(e.password == "p");
    CHECK(e.database == 0);
    auto const encrypted = parse_url("rediss+cluster://h/");
    CHECK(encrypted.transport == transport::tls);
    CHECK(encrypted.is_cluster);
    CHECK_FALSE(parse_url("redis://h").is_cluster);
    CHECK_FALSE(parse_url("redis+sentinel://h/m").is_cluster);
}

TEST_CASE("url: the exception for an invalid URL names the invalid part", "[redis]")
{
    struct fault {
        char const* url;
        char const* part;
    };
    auto const f = GENERATE(
        fault{"", "scheme is missing"},
        fault{"localhost:6379", "scheme is missing"},
        fault{"redis:6379", "scheme is missing"},
        fault{"redis:/x", "two slashes"},
        fault{"rediss:h:6380", "two slashes"},
        fault{"unix:/run/redis.sock", "two slashes"},
        fault{"memory:x", "two slashes"},
        fault{"http:/h", "unknown scheme"},
        fault{"http://h", "unknown scheme"},
        fault{"REDIS://h", "unknown scheme"},
        fault{"redis://", "host is missing"},
        fault{"redis:///0", "host is missing"},
        fault{"redis://:6379", "host is missing"},
        fault{"redis://h:", "port"},
        fault{"redis://h:0", "port"},
        fault{"redis://h:65536", "port"},
        fault{"redis://h:1a", "port"},
        fault{"redis://h:-1", "port"},
        fault{"redis://h/x", "database"},
        fault{"redis://h/-1", "database"},
        fault{"redis://h/1/2", "database"},
        fault{"redis://h/1000001", "database"},
        fault{"redis://h/0?x=1", "nothing may follow"},
        fault{"redis://h/0#x", "nothing may follow"},
        fault{"redis://secret@h", "needs a password"},
        fault{"redis://u:%4@h", "hexadecimal"},
        fault{"redis://u:%zz@h", "hexadecimal"},
        fault{"redis://h h", "character"},
        fault{"redis://[::1", "closing ]"},
        fault{"redis://[]", "host is missing"},
        fault{"redis://[::1]x", "only a port"},
        fault{"unix://", "path of the socket is missing"},
        fault{"unix:///", "path of the socket is missing"},
        fault{"unix://host/path", "three slashes"},
        fault{"unix:///p?database=1", "?db=NUMBER"},
        fault{"unix:///p?db=x", "database"},
        fault{"unix:///p%00q", "zero byte"},
        fault{"redis+cluster:/h", "two slashes"},
        fault{"redis+cluster://", "host is missing"},
        fault{"redis+cluster://h,", "host is missing"},
        fault{"redis+cluster://h/0", "no databases"},
        fault{"rediss+cluster://h/x", "no databases"},
        fault{"redis+cluster://h?x=1", "nothing may follow"},
        fault{"redis+sentinel://h:1", "name of the master"},
        fault{"redis+sentinel:///m", "host is missing"},
        fault{"redis+sentinel://h,/m", "host is missing"},
        fault{"redis+sentinel://h/m/x", "database"},
        fault{"redis+sentinel://h/m?db=1", "only options of sentinels"},
        fault{"redis+sentinel://h/m?", "only options of sentinels"},
        fault{"redis+sentinel://h/m?sentinel_username=u", "needs sentinel_password"});
    CAPTURE(f.url);
    CHECK_THAT(fault_of(f.url), ContainsSubstring(f.part) && ContainsSubstring("url: "));
}

TEST_CASE("url: a path that does not fit into a socket address is refused", "[redis]")
{
    CHECK_THAT(fault_of("unix:///" + std::string(107, 'x')), ContainsSubstring("107"));
    CHECK(fault_of("unix:///" + std::string(106, 'x')) == "no fault");
}

TEST_CASE("url: no exception quotes text that may be a password", "[redis]")
{
    auto const url = GENERATE(
        "redis://:hunter2/x@h",
        "redis://user:hunter2",
        "hunter2@h",
        "hunter2://h",
        "redis://hunter2@h",
        "redis://u:hunter2%@h",
        "redis://u:hunter2@h:x",
        "unix://u:hunter2@h/p",
        "redis+cluster://u:hunter2@h/1",
        "redis+cluster://:hunter2/x@h",
        "redis+sentinel://u:hunter2@h/");
    CHECK_THAT(fault_of(url), !ContainsSubstring("hunter2") && ContainsSubstring("url: "));
}

TEST_CASE("url: the redacted form replaces the password", "[redis]")
{
    CHECK(redacted(parse_url("redis://h")) == "redis://h:6379/0");
    CHECK(redacted(parse_url("rediss://u:p@[::1]:1/2")) == "rediss://u:***@[::1]:1/2");
    CHECK(redacted(parse_url("unix://:p@/s?db=1")) == "unix://:***@/s?db=1");
    CHECK(redacted(parse_url("redis+sentinel://:p@a,b:1/m")) == "redis+sentinel://:***@a:26379,b:1/m/0");
    CHECK(redacted(parse_url("redis+cluster://u:p@a,[::1]:1")) == "redis+cluster://u:***@a:6379,[::1]:1");
    CHECK(redacted(parse_url("rediss+cluster://a")) == "rediss+cluster://a:6379");
}

TEST_CASE("url: a server is remote unless it is localhost, a loopback address or a UNIX socket", "[redis]")
{
    CHECK(is_remote(parse_url("redis://example.com")));
    CHECK_FALSE(is_remote(parse_url("redis://localhost")));
    CHECK_FALSE(is_remote(parse_url("redis://127.0.0.2")));
    CHECK_FALSE(is_remote(parse_url("redis://[::1]")));
    CHECK_FALSE(is_remote(parse_url("unix:///s")));
    CHECK(is_remote(parse_url("redis+cluster://localhost,example.com")));
}

}  // namespace redis_url_test
