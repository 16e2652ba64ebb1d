//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <holdfast/owner.hpp>

#include "engine/hold/owner_state.hpp"

namespace holdfast {

// All copies of an owner share its state, so the view is valid while one of them exists.
std::string_view owner::label() const noexcept
{
    return state_->label();
}

}  // namespace holdfast
