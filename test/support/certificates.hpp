//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_CERTIFICATES_HPP
#define HOLDFAST_TEST_SUPPORT_CERTIFICATES_HPP

#include <filesystem>
#include <string>

namespace holdfast::test {

// A private certificate authority and the certificates that it signs, made by the openssl program in a temporary
// folder.
class certificates {
public:
    certificates();
    ~certificates();
    certificates(certificates const&) = delete;
    certificates& operator=(certificates const&) = delete;

    struct pair {
        std::string certificate_file;
        std::string key_file;
    };

    std::string ca_file() const { return folder_ / "ca.crt"; }

    // Signs a certificate; `names` as in "DNS:localhost,IP:127.0.0.1".
    pair sign(std::string const& stem, std::string const& names);

private:
    std::filesystem::path folder_;
};

}  // namespace holdfast::test

#endif
