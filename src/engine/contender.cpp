//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/contender.hpp"

#include "engine/arbiter.hpp"

namespace holdfast::engine {

void contender::on_due(core::instant now)
{
    home->expire(*this, now);
}

}  // namespace holdfast::engine
