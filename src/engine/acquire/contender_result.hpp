//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CONTENDER_RESULT_HPP
#define HOLDFAST_ENGINE_CONTENDER_RESULT_HPP

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>

#include "engine/acquire/contender.hpp"
#include "engine/hold/tenure.hpp"

namespace holdfast::engine {

class runtime;

// Called when a contender joins for the first time: counts and numbers an acquire of a user.
void count_joined(runtime&, contender&);

// Completes a contender that has left its queue: counts the acquire of a user, calls the observer, then the contender.
void admit(runtime&, contender&, boost::intrusive_ptr<tenure>);
void refuse(runtime&, contender&);
void fail(runtime&, contender&, detail::described_error);
// For a contender that requires a connection, while there is none: unavailable. A part of a composite lock fails with
// asio::error::not_connected instead, which is no reply that is overdue.
void fail_unconnected(runtime&, contender&);

// Counts an acquire as cancelled that completes before its contender does. The contender's own result is not counted
// then.
void call_off(runtime&, contender&);

}  // namespace holdfast::engine

#endif
