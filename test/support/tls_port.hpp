//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_TLS_PORT_HPP
#define HOLDFAST_TEST_SUPPORT_TLS_PORT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "support/certificates.hpp"

namespace holdfast::test {

// A free port for TLS, also of a node of a cluster. Skips the test on a server that was built without TLS.
std::uint16_t tls_port();

// The lines of redis.conf for a server that accepts TLS connections there, with that certificate.
std::vector<std::string> tls_lines(std::uint16_t port, certificates const&, certificates::pair const& own);

}  // namespace holdfast::test

#endif
