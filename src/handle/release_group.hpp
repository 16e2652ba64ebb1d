//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_RELEASE_GROUP_HPP
#define HOLDFAST_RELEASE_GROUP_HPP

#include <cstddef>

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <holdfast/error.hpp>

namespace holdfast::detail {

// Receives the results of several releases that were started together by lease_impl::release_in(). Each release has a
// reference until it has called end().
class release_group : public boost::intrusive_ref_counter<release_group, boost::thread_safe_counter> {
public:
    virtual ~release_group() = default;

    // Called once for each place, on the strand of the client of that lease, or by the thread that starts the release.
    // Thread-safe for different places.
    virtual void end(std::size_t place, described_error) = 0;
};

}  // namespace holdfast::detail

#endif
