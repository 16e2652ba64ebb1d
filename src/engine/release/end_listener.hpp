//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_END_LISTENER_HPP
#define HOLDFAST_ENGINE_END_LISTENER_HPP

namespace holdfast::engine {

// Called when an arbiter or a release has ended, which may have been the last one that a shutdown waits for. An
// interface, because client_engine implements it and is above this folder.
class end_listener {
public:
    // The caller has removed the arbiter or the release from its list.
    virtual void on_end() = 0;

protected:
    ~end_listener() = default;
};

}  // namespace holdfast::engine

#endif
