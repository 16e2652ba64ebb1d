//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace holdfast::redis {
namespace {

constexpr std::uint16_t default_port = 6379;
constexpr std::uint16_t default_sentinel_port = 26379;
constexpr auto unknown_scheme = "unknown scheme (known: redis, rediss, redis+cluster, rediss+cluster, unix, "
                                "redis+sentinel, rediss+sentinel, memory)";

[[noreturn]] void fail(char const* fault)
{
    throw std::invalid_argument(std::string("url: ") + fault);
}

// Splits at the first `separator`. Returns nothing if there is none.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text, std::string_view separator)
{
    auto const at = text.find(separator);
    if (at == text.npos)
        return std::nullopt;
    return std::pair{text.substr(0, at), text.substr(at + separator.size())};
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    fail("a % must be followed by two hexadecimal digits");
}

std::string decode(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        if (text.size() - i < 3)
            fail("a % must be followed by two hexadecimal digits");
        plain += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
        i += 2;
    }
    return plain;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text)
{
    Number n{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return n;
}

unsigned parse_database(std::string_view text)
{
    // The server checks the number against its configuration. This bound only rejects obvious mistakes earlier.
    auto const n = whole_number<unsigned>(text);
    if (!n || *n > 1'000'000)
        fail("the database must be a number, as in /0");
    return *n;
}

std::uint16_t parse_port(std::string_view text)
{
    auto const n = whole_number<std::uint16_t>(text);
    if (!n || *n == 0)
        fail("the port must be a number from 1 to 65535 (special characters in a password need %-encoding)");
    return *n;
}

// Stricter than resolvers: a part of a password with a special character that is not encoded may be read as the host,
// and an error here names that mistake.
bool is_host_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-'
           || c == '_';
}

bool is_address_character(char c)
{
    return is_host_character(c) || c == ':' || c == '%';  // IPv6, perhaps with a zone
}

std::string checked_host(std::string_view text, bool (*allowed)(char))
{
    if (text.empty())
        fail("the host is missing");
    if (!std::all_of(text.begin(), text.end(), allowed))
        fail("the host has a character that no host name has (special characters in a password need "
             "%-encoding)");
    return std::string(text);
}

host_and_port parse_bracketed_host(std::string_view text, std::uint16_t port_if_none)
{
    auto const parts = split(text.substr(1), "]");
    if (!parts)
        fail("the closing ] of an IPv6 address is missing");
    auto const [address, rest] = *parts;
    if (!rest.empty() && rest.front() != ':')
        fail("only a port may follow an IPv6 address");
    return {checked_host(address, is_address_character), rest.empty() ? port_if_none : parse_port(rest.substr(1))};
}

host_and_port parse_host(std::string_view text, std::uint16_t port_if_none)
{
    if (text.starts_with('['))
        return parse_bracketed_host(text, port_if_none);
    if (auto const parts = split(text, ":"))
        return {checked_host(parts->first, is_host_character), parse_port(parts->second)};
    return {checked_host(text, is_host_character), port_if_none};
}

// Reads the credentials at the front of an authority and returns the rest of it. The last @ separates them, so that a
// password may contain an @ that is not encoded.
std::string_view take_credentials(std::string_view authority, endpoint& to)
{
    auto const at = authority.rfind('@');
    if (at == authority.npos)
        return authority;
    auto const credentials = split(authority.substr(0, at), ":");
    if (!credentials)
        fail("a user needs a password (user:password@, or :password@ for the default user)");
    to.user = decode(credentials->first);
    to.password = decode(credentials->second);
    to.has_password = true;
    return authority.substr(at + 1);
}

// Options that the client would ignore must not appear to have an effect.
void refuse_query(std::string_view text)
{
    if (text.find_first_of("?#") != text.npos)
        fail("nothing may follow the database: the client has no options in URLs");
}

void parse_server(std::string_view rest, endpoint& to)
{
    refuse_query(rest);
    auto const parts = split(rest, "/").value_or(std::pair{rest, std::string_view()});
    to.hosts.push_back(parse_host(take_credentials(parts.first, to), default_port));
    if (!parts.second.empty())
        to.database = parse_database(parts.second);
}

void parse_socket(std::string_view rest, endpoint& to)
{
    auto const slash = rest.find('/');
    if (slash == rest.npos || slash + 1 == rest.size())
        fail("the path of the socket is missing, as in unix:///run/redis.sock");
    if (!take_credentials(rest.substr(0, slash), to).empty())
        fail("a UNIX socket has no host: write three slashes, as in unix:///run/redis.sock");

    auto const path = rest.substr(slash);
    auto const parts = split(path, "?").value_or(std::pair{path, std::string_view("db=0")});
    if (!parts.second.starts_with("db="))
        fail("the only option of a UNIX socket is ?db=NUMBER");
    to.socket_path = decode(parts.first);
    to.database = parse_database(parts.second.substr(3));
    // sockaddr_un::sun_path has 108 bytes with its terminating zero. A longer path does not fit.
    if (to.socket_path.size() > 107)
        fail("the path of the socket is longer than the 107 bytes the system allows");
    // The percent-encoding %00. The system would end the path there, and connect to another socket.
    if (to.socket_path.find('\0') != std::string::npos)
        fail("the path of the socket has a zero byte");
}

void parse_hosts(std::string_view list, std::uint16_t port_if_none, endpoint& to)
{
    while (auto const parts = split(list, ",")) {
        to.hosts.push_back(parse_host(parts->first, port_if_none));
        list = parts->second;
    }
    to.hosts.push_back(parse_host(list, port_if_none));
}

// A cluster has one database, and its servers answer SELECT with an error.
void parse_seeds(std::string_view rest, endpoint& to)
{
    refuse_query(rest);
    auto const parts = split(rest, "/").value_or(std::pair{rest, std::string_view()});
    if (!parts.second.empty())
        fail("a cluster has no databases: nothing may follow the hosts");
    to.is_cluster = true;
    parse_hosts(take_credentials(parts.first, to), default_port, to);
}

// The credentials of the sentinels; those at the front of the authority are of the master.
void parse_sentinel_option(std::string_view option, endpoint& to)
{
    auto const parts = split(option, "=");
    if (parts && parts->first == "sentinel_username") {
        to.sentinel_user = decode(parts->second);
    } else if (parts && parts->first == "sentinel_password") {
        to.sentinel_password = decode(parts->second);
        to.has_sentinel_password = true;
    } else {
        fail("the only options of sentinels are sentinel_username and sentinel_password");
    }
}

void parse_sentinel_options(std::string_view query, endpoint& to)
{
    while (auto const parts = split(query, "&")) {
        parse_sentinel_option(parts->first, to);
        query = parts->second;
    }
    parse_sentinel_option(query, to);
    if (!to.has_sentinel_password)
        fail("sentinel_username needs sentinel_password");
}

void parse_sentinels(std::string_view rest, endpoint& to)
{
    if (auto const parts = split(rest, "?")) {
        rest = parts->first;
        parse_sentinel_options(parts->second, to);
    }
    refuse_query(rest);
    auto const parts = split(rest, "/").value_or(std::pair{rest, std::string_view()});
    parse_hosts(take_credentials(parts.first, to), default_sentinel_port, to);

    auto const path = split(parts.second, "/").value_or(std::pair{parts.second, std::string_view("0")});
    to.master_name = decode(path.first);
    if (to.master_name.empty())
        fail("the name of the master is missing, as in redis+sentinel://host:26379/mymaster");
    to.database = path.second.empty() ? 0 : parse_database(path.second);
}

bool is_scheme(std::string_view text)
{
    constexpr std::array<std::string_view, 8> known{
        "redis", "rediss", "redis+cluster", "rediss+cluster", "unix", "redis+sentinel", "rediss+sentinel", "memory"};
    return std::ranges::find(known, text) != known.end();
}

// Distinguishes redis:/host, a slash too few, from redis:6379, a host and a port without a scheme.
[[noreturn]] void fail_without_slashes(std::string_view url)
{
    auto const [scheme, rest] = split(url, ":").value_or(std::pair{std::string_view(), std::string_view()});
    bool const is_port = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    if (is_scheme(scheme) && !is_port)
        fail("two slashes must follow the scheme, as in redis://localhost:6379");
    fail(rest.starts_with('/') ? unknown_scheme : "a scheme is missing, as in redis://localhost:6379");
}

// Compares names and does not resolve them: the result decides only whether a warning is logged.
bool is_loopback(std::string_view host)
{
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string host_list(endpoint const& e)
{
    std::string list;
    for (auto const& h : e.hosts)
        list += (list.empty() ? "" : ",") + to_text(h);
    return list;
}

std::string redacted_credentials(endpoint const& e)
{
    return e.has_password ? e.user + ":***@" : std::string();
}

std::string redacted_sentinel_options(endpoint const& e)
{
    if (!e.has_sentinel_password)
        return {};
    auto const user = e.sentinel_user.empty() ? std::string() : "sentinel_username=" + e.sentinel_user + "&";
    return "?" + user + "sentinel_password=***";
}

std::string redacted_cluster(endpoint const& e)
{
    auto const* const scheme = has_tls(e) ? "rediss+cluster://" : "redis+cluster://";
    return scheme + redacted_credentials(e) + host_list(e);
}

}  // namespace

std::string to_text(host_and_port const& h)
{
    bool const is_ipv6 = h.host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + h.host + "]" : h.host) + ":" + std::to_string(h.port);
}

bool has_sentinels(endpoint const& e)
{
    return e.transport == transport::sentinel || e.transport == transport::sentinel_tls;
}

bool has_tls(endpoint const& e)
{
    return e.transport == transport::tls || e.transport == transport::sentinel_tls;
}

endpoint parse_url(std::string_view url)
{
    auto const parts = split(url, "://");
    if (!parts)
        fail_without_slashes(url);

    endpoint e;
    auto const [scheme, rest] = *parts;
    if (scheme == "redis")
        parse_server(rest, e);
    else if (scheme == "rediss")
        e.transport = transport::tls, parse_server(rest, e);
    else if (scheme == "redis+cluster")
        parse_seeds(rest, e);
    else if (scheme == "rediss+cluster")
        e.transport = transport::tls, parse_seeds(rest, e);
    else if (scheme == "unix")
        e.transport = transport::unix_socket, parse_socket(rest, e);
    else if (scheme == "redis+sentinel")
        e.transport = transport::sentinel, parse_sentinels(rest, e);
    else if (scheme == "rediss+sentinel")
        e.transport = transport::sentinel_tls, parse_sentinels(rest, e);
    else
        fail(unknown_scheme);
    return e;
}

std::string redacted(endpoint const& e)
{
    if (e.is_cluster)
        return redacted_cluster(e);
    auto const database = std::to_string(e.database);
    switch (e.transport) {
        case transport::tcp: return "redis://" + redacted_credentials(e) + host_list(e) + "/" + database;
        case transport::tls: return "rediss://" + redacted_credentials(e) + host_list(e) + "/" + database;
        case transport::unix_socket: return "unix://" + redacted_credentials(e) + e.socket_path + "?db=" + database;
        case transport::sentinel:
        case transport::sentinel_tls:
            return (has_tls(e) ? "rediss+sentinel://" : "redis+sentinel://") + redacted_credentials(e) + host_list(e)
                   + "/" + e.master_name + "/" + database + redacted_sentinel_options(e);
    }
    return {};
}

bool is_remote(endpoint const& e)
{
    return !std::all_of(e.hosts.begin(), e.hosts.end(), [](auto const& h) { return is_loopback(h.host); });
}

}  // namespace holdfast::redis
