//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_STRAND_HPP
#define HOLDFAST_ENGINE_STRAND_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

namespace holdfast::engine {

// The strand on which all state of a client lives (rule 22). An object that may outlive the execution context, such as
// a lease, must not keep one: the destructor of a strand accesses its context.
using strand = boost::asio::strand<boost::asio::any_io_executor>;

}  // namespace holdfast::engine

#endif
