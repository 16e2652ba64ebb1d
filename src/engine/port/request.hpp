//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REQUEST_HPP
#define HOLDFAST_ENGINE_REQUEST_HPP

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "engine/port/mailbox.hpp"

namespace holdfast::engine {

// A request of a caller to a client, for example an acquire. It reaches the strand as a message and is referenced by
// the client until it completes. The counter is thread-safe, because the handler of a cancellation refers to it, too,
// and may run on any thread.
class request : public message, public boost::intrusive_ref_counter<request, boost::thread_safe_counter> {
public:
    virtual ~request() = default;
};

}  // namespace holdfast::engine

#endif
