//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_REQUEST_GUARD_HPP
#define HOLDFAST_CLI_DASHBOARD_REQUEST_GUARD_HPP

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::dashboard {

// What the dashboard permits. An empty token: none is required.
struct guard_rules {
    std::string token;
    bool is_loopback = true;               // it listens on a loopback address
    std::vector<std::string> host_names;   // under which it may be reached, besides addresses and "localhost"
    std::string cookie = "holdfast_8077";  // its name has the port, because browsers send a cookie to all ports
};

// The parts of a request that the guard reads. Empty: the request does not have that field.
struct request_facts {
    std::string_view host;
    std::string_view origin;
    std::string_view fetch_site;     // Sec-Fetch-Site, which browsers send
    std::string_view authorization;  // Bearer <token>
    std::string_view cookie;
    bool is_public = false;  // no token is needed: the page itself, which contains no data, and the login
    bool is_page = false;    // other sites may link to it
};

enum class verdict { pass, forged_host, foreign_origin, no_token };

// Decides whether a request may be served.
// - Host: a page of another site that lets its name resolve to this address (DNS rebinding) is refused by its name.
// - Origin, Sec-Fetch-Site: a page of another site, or of another port, that sends requests is refused. A link to the
//   page itself is permitted.
// - The token, in a cookie or in the field Authorization.
verdict check(request_facts const&, guard_rules const&);

// Compares in a time that does not depend on where the texts differ.
bool is_same_secret(std::string_view a, std::string_view b);

}  // namespace holdfast::cli::dashboard

#endif
