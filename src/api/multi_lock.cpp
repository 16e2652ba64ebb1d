//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <memory>
#include <utility>

#include <holdfast/multi_lock.hpp>

#include "api/member_list.hpp"
#include "composite/multi_lock_impl.hpp"

namespace holdfast {
namespace detail {
namespace {

// The constructor does not throw for members that cannot be held together: as with a bad name, the operations complete
// with errc::invalid_option, and client::last_failure() has the reason.
std::shared_ptr<lock_impl const> make_multi(std::vector<any_lock> const& given)
{
    member_list r;
    for (auto const& l : given)
        lock_access::impl_of(l)->accept(r);
    if (r.members.empty())
        r.validation_error = "members: must have at least one lock";
    return std::make_shared<multi_lock_impl const>(
        std::move(r.name), std::move(r.members), std::move(r.validation_error));
}

}  // namespace
}  // namespace detail

multi_lock::multi_lock(std::vector<any_lock> const& members) : lock_base(detail::make_multi(members)) {}

}  // namespace holdfast
