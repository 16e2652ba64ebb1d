//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/access_token.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

#include "tool/dashboard/display_text.hpp"

namespace holdfast::cli::dashboard {
namespace {

constexpr std::size_t shortest = 16;

// The unreserved characters of RFC 3986: a token travels in a URL, a cookie and a field of a request.
bool is_permitted(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.'
           || c == '_' || c == '~';
}

std::string checked(std::string token, std::string const& source)
{
    if (token.size() < shortest || !std::ranges::all_of(token, is_permitted))
        throw std::invalid_argument(
            source + ": the token must have at least 16 characters, which are letters, digits or -._~");
    return token;
}

}  // namespace

std::string read_access_token(std::string const& file)
{
    if (!file.empty()) {
        std::ifstream in(file);
        std::string line;
        if (!std::getline(in, line))
            throw std::invalid_argument("--token-file: cannot read " + file);
        return checked(std::move(line), "--token-file");
    }
    auto const* const variable = std::getenv("HOLDFAST_DASHBOARD_TOKEN");
    return variable == nullptr ? std::string() : checked(variable, "HOLDFAST_DASHBOARD_TOKEN");
}

std::string make_access_token()
{
    std::random_device random;
    std::string bytes;
    for (int i = 0; i < 4; ++i)
        for (auto bits = random(), n = 4U; n > 0; --n, bits >>= 8)
            bytes += static_cast<char>(bits & 0xff);
    return to_hex(bytes);
}

}  // namespace holdfast::cli::dashboard
