//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/tls_port.hpp"

#include <cstdio>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "support/child_program.hpp"
#include "support/redis_program.hpp"

namespace holdfast::test {
namespace {

// Whether the server was built with TLS. Started without a certificate it ends at once, and says what is missing: the
// certificate, or TLS. Redis 6.2 without TLS does not know the option; Redis 8.2 without TLS does.
bool has_tls()
{
    auto const command = redis_program() + " --port 0 --tls-port 1 2>&1";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string words;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
        words += static_cast<char>(c);
    return words.find("No tls-cert-file configured") != words.npos;
}

}  // namespace

std::uint16_t tls_port()
{
    if (!has_tls())
        SKIP("this server was built without TLS");
    return free_port_with_bus();
}

std::vector<std::string> tls_lines(std::uint16_t port, certificates const& authority, certificates::pair const& own)
{
    return {
        "tls-port " + std::to_string(port),
        "tls-ca-cert-file " + authority.ca_file(),
        "tls-cert-file " + own.certificate_file,
        "tls-key-file " + own.key_file};
}

}  // namespace holdfast::test
