//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_TLS_HPP
#define HOLDFAST_REDIS_TLS_HPP

#include <string>

#include <boost/asio/ssl/context.hpp>

#include <holdfast/config.hpp>

namespace holdfast::redis {

// A client's context: the peer's certificate must be trusted and name `host` (a name or an address), and the
// handshake tells the server that name. All of it rests in the context, because Boost.Redis owns the streams.
// Throws std::invalid_argument naming the option and the reason.
boost::asio::ssl::context make_tls_context(tls_options const&, std::string const& host);

// Throws std::invalid_argument when any option is set: they would have no effect on a connection without TLS.
void refuse_tls_options(tls_options const&);

// A second owner of the same context: each connection wants one of its own.
boost::asio::ssl::context share(boost::asio::ssl::context&);

// Why the peer's certificate was not accepted; empty when it was, or none was seen.
std::string verification_failure(SSL*);

}  // namespace holdfast::redis

#endif
