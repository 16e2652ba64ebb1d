//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_CONTENDER_RESULT_HPP
#define HOLDFAST_ENGINE_CONTENDER_RESULT_HPP

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/error.hpp>

#include "engine/acquire/contender.hpp"
#include "engine/hold/tenure.hpp"

namespace holdfast::engine {

class runtime;

// An acquire of a user begins.
void count_joined(runtime&, contender const&);

// The results of a contender, which is in no queue any more: an acquire of a user is counted, and the observer called;
// then the contender.
void admit(runtime&, contender&, boost::intrusive_ptr<tenure>);
void refuse(runtime&, contender&);
void fail(runtime&, contender&, error_code);

// An acquire is counted as cancelled, although what its contender waits for goes on.
void call_off(runtime&, contender&);

}  // namespace holdfast::engine

#endif
