//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_END_LISTENER_HPP
#define HOLDFAST_ENGINE_END_LISTENER_HPP

namespace holdfast::engine {

// Learns that an arbiter or a release has ended. Perhaps it was the last one.
class end_listener {
public:
    virtual void on_end() = 0;

protected:
    ~end_listener() = default;
};

}  // namespace holdfast::engine

#endif
