//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MEMBER_LIST_HPP
#define HOLDFAST_MEMBER_LIST_HPP

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "composite/try_each.hpp"
#include "handle/lock_impl.hpp"

// api: one source for each public header. It turns handles, options and leases into calls of the folders below, and may
// include all of them except session, redis and sim. No other folder includes api.
namespace holdfast::detail {

// The members of a multi_lock: each lock once, however often it is given, and the members of a multi_lock in its place.
// Used by the constructor of a multi_lock: each given handle accepts it as a visitor.
class member_list final : public lock_visitor {
public:
    lock_list members;
    std::string name;              // the names of all members, with "+" in between
    std::string validation_error;  // why they can never be held together; empty: they can be

    void visit(single_lock const&) override;
    void visit(multi_lock_impl const&) override;
    void visit(red_lock_impl const&) override;

private:
    using locks = std::vector<single_lock const*>;

    // Two handles with the same client and key are the same lock. Ordered, because there may be thousands.
    struct is_before {
        bool operator()(single_lock const*, single_lock const*) const noexcept;
    };
    // With a number for each lock.
    using numbers = std::map<single_lock const*, std::size_t, is_before>;

    // `taken`: the locks of single servers that the member acquires.
    void add(lock_impl const&, locks const& taken);
    void refuse_overlap(locks const&);
    // Precondition: both are handles of the same lock.
    void compare(single_lock const&, single_lock const&);

    numbers singles_;                                        // their places among the members
    std::map<std::string_view, red_lock_impl const*> reds_;  // by key
    numbers taken_;  // the locks of single servers that all members acquire, and when each was added last
    std::size_t added_ = 0;
};

}  // namespace holdfast::detail

#endif
