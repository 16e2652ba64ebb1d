//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/token_source.hpp"

#include "engine/port/world.hpp"

namespace holdfast::engine {

token_source::token_source(world& w) : id_(core::uuid_v8(w.identity())) {}

core::token token_source::next(std::string_view mark, std::string_view label)
{
    std::string suffix(mark);
    if (!suffix.empty() && !label.empty())
        suffix += ':';
    suffix += label;
    return core::token(id_, ++count_, suffix);
}

}  // namespace holdfast::engine
