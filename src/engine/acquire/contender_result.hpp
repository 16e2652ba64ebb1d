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

// The results of a contender: each is counted, goes to the observer, and then to the contender. Precondition: it is in
// no queue.
void count_joined(runtime&, contender const&);
void admit(runtime&, contender&, boost::intrusive_ptr<tenure>);
void refuse(runtime&, contender&);
void fail(runtime&, contender&, error_code);
// Its user is told that it was cancelled, although what it waits for goes on.
void call_off(runtime&, contender&);

}  // namespace holdfast::engine

#endif
