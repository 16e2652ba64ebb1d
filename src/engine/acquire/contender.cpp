//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/contender.hpp"

#include "engine/hold/arbiter.hpp"

namespace holdfast::engine {

void contender::on_due(core::instant now)
{
    home->expire(*this, now);
}

void contender::leave(boost::system::error_code why)
{
    if (home)
        home->leave(*this, why);
}

}  // namespace holdfast::engine
