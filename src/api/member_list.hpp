//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MEMBER_LIST_HPP
#define HOLDFAST_MEMBER_LIST_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "composite/try_each.hpp"
#include "handle/lock_impl.hpp"

namespace holdfast::detail {

// The members of a multi_lock: each lock once, however often it is given, and the members of a multi_lock in its place.
class member_list final : public lock_visitor {
public:
    lock_list members;
    std::string name;              // the names of all members
    std::string validation_error;  // why they cannot be held together; empty: they can

    void visit(single_lock const&) override;
    void visit(multi_lock_impl const&) override;
    void visit(red_lock_impl const&) override;

private:
    using locks = std::vector<single_lock const*>;

    struct single {
        single_lock const* lock;
        std::size_t place;  // among the members
    };

    void add(lock_impl const&, locks const& taken);
    void refuse_overlap(locks const&);
    void compare(single_lock const&, single_lock const&);

    std::vector<single> singles_;
    std::vector<red_lock_impl const*> reds_;
    locks taken_;  // the locks that all members take, on every server
};

}  // namespace holdfast::detail

#endif
