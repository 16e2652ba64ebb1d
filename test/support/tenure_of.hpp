//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_TENURE_OF_HPP
#define HOLDFAST_TEST_SUPPORT_TENURE_OF_HPP

#include "operations/single_lease.hpp"

namespace holdfast::test {

// Returns the tenure behind a lease. Precondition: it is not empty, and not that of a composite lock.
inline engine::tenure& tenure_of(lease const& l)
{
    return dynamic_cast<detail::single_lease&>(*detail::lease_access::impl_of(const_cast<lease&>(l)));
}

}  // namespace holdfast::test

#endif
