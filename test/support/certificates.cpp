//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/certificates.hpp"

#include <cstdlib>
#include <stdexcept>

#include "support/child_program.hpp"

namespace holdfast::test {
namespace {

void run(std::string const& command)
{
    if (std::system((command + " > /dev/null 2>&1").c_str()) != 0)
        throw std::runtime_error("certificates: failed: " + command);
}

constexpr auto new_key = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

}  // namespace

certificates::certificates() : folder_(make_folder())
{
    auto const ca = (folder_ / "ca").string();
    run("openssl req -x509 -days 2 -subj /CN=test-authority -keyout " + ca + ".key -out " + ca + ".crt" + new_key);
}

certificates::~certificates()
{
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

certificates::pair certificates::sign(std::string const& stem, std::string const& names)
{
    auto const file = (folder_ / stem).string();
    auto const ca = (folder_ / "ca").string();
    run("openssl req -subj /CN=" + stem + " -addext subjectAltName=" + names + " -keyout " + file + ".key -out " + file
        + ".csr" + new_key);
    run("openssl x509 -req -days 2 -copy_extensions copy -CAcreateserial -in " + file + ".csr -CA " + ca
        + ".crt -CAkey " + ca + ".key -out " + file + ".crt");
    return {file + ".crt", file + ".key"};
}

}  // namespace holdfast::test
