//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/grant.hpp"

#include "engine/renewer.hpp"

namespace holdfast::engine {

void grant::on_due(core::instant now)
{
    watcher->on_due(*this, now);
}

}  // namespace holdfast::engine
