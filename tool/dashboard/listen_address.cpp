//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/listen_address.hpp"

#include <charconv>
#include <cstdint>
#include <string>

#include <boost/asio/ip/address.hpp>

namespace holdfast::cli::dashboard {
namespace {

namespace ip = boost::asio::ip;

std::optional<std::uint16_t> parse_port(std::string_view text)
{
    std::uint16_t port = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failed != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return port;
}

std::optional<ip::address> parse_address(std::string_view text)
{
    if (text == "localhost")
        return ip::address_v4::loopback();
    bool const is_v6 = text.size() > 2 && text.front() == '[' && text.back() == ']';
    boost::system::error_code ec;
    auto const address = ip::make_address(std::string(is_v6 ? text.substr(1, text.size() - 2) : text), ec);
    if (ec || address.is_v6() != is_v6)
        return std::nullopt;
    return address;
}

}  // namespace

std::optional<ip::tcp::endpoint> parse_listen_address(std::string_view text)
{
    auto const colon = text.rfind(':');
    if (colon == text.npos)
        return std::nullopt;
    auto const address = parse_address(text.substr(0, colon));
    auto const port = parse_port(text.substr(colon + 1));
    if (!address || !port)
        return std::nullopt;
    return ip::tcp::endpoint(*address, *port);
}

}  // namespace holdfast::cli::dashboard
