//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_TLS_HPP
#define HOLDFAST_REDIS_TLS_HPP

#include <string>
#include <vector>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/config.hpp>

namespace holdfast::redis {

// Makes the TLS context of a client. The certificate of the server must be trusted and be issued for one of the hosts
// (names or addresses). If there is one host, the handshake sends its name (SNI). All of this is set in the context,
// because Boost.Redis creates the streams and gives no access to them before the handshake. OpenSSL verifies nothing by
// default. Throws std::invalid_argument with the option and the reason. Precondition: there is a host.
boost::asio::ssl::context make_tls_context(tls_options const&, std::vector<std::string> const& hosts);

// The same for another host: with the authorities and the certificate of that context, so it reads no file.
boost::asio::ssl::context make_tls_context(boost::asio::ssl::context const& same, std::string const& host);

// Throws std::invalid_argument if an option is set: it would have no effect on a connection without TLS.
void refuse_tls_options(tls_options const&);

// Returns another owner of the same context. Boost.Redis takes the context of each connection by value.
boost::asio::ssl::context share(boost::asio::ssl::context&);

// Why the certificate of the server was not accepted; empty if it was, or if the server sent none.
std::string verification_failure(SSL*);

// Whether what the server sent was not TLS.
bool is_other_protocol(boost::system::error_code) noexcept;

}  // namespace holdfast::redis

#endif
