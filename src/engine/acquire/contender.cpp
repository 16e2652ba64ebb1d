//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/contender.hpp"

#include "engine/hold/arbiter.hpp"
#include "engine/hold/grant.hpp"

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

bool suits(grant const& g, contender const& c) noexcept
{
    return g.lock().shares_grants_with(c.lock()) && g.lease() == c.terms().time_to_live();
}

}  // namespace holdfast::engine
