//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/token_source.hpp"

#include <utility>

#include "engine/port/world.hpp"

namespace holdfast::engine {

token_source::token_source(world& w) : world_(w), incarnation_(w.incarnation()), id_(core::uuid_v8(w.identity())) {}

core::token token_source::next(std::string_view mark, std::string_view label)
{
    std::string suffix(mark);
    if (!suffix.empty() && !label.empty())
        suffix += ':';
    suffix += label;
    renew_after_fork();
    return core::token(id_, ++count_, suffix);
}

// A forked child is another process with a copy of this object: it must never make a token that its parent makes, too.
// pthread_atfork() cannot do this, because its handlers have no argument by which they could find the object.
void token_source::renew_after_fork()
{
    if (std::exchange(incarnation_, world_.incarnation()) != world_.incarnation()) [[unlikely]]
        id_ = core::uuid_v8(world_.identity());
}

}  // namespace holdfast::engine
