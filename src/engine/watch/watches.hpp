//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_WATCHES_HPP
#define HOLDFAST_ENGINE_WATCHES_HPP

#include <boost/intrusive/list.hpp>

#include "core/cluster_map.hpp"
#include "engine/watch/watch.hpp"

namespace holdfast::engine {

// The watches of one client, which has a reference to each of them until leave(): the last one of its users may be
// dropped on any thread. client_engine owns it. On the strand.
class watches {
public:
    explicit watches(engine_parts const& p) noexcept : parts_(p) {}
    watches(watches const&) = delete;
    watches& operator=(watches const&) = delete;
    ~watches();

    // The state is read from here on, until leave() or stop(). Precondition: it has not joined.
    void join(watch&);
    // No effect if it has not joined, or has left.
    void leave(watch&);

    // A new epoch: messages may have been lost.
    void on_open(shard const&);
    // The connection to the server was lost, or could not be opened.
    void on_closed(shard const&);
    // The server refuses this client for good: reading the state again does not help.
    void on_refused(shard const&);
    // The client shuts down.
    void on_closing();
    // These slots have another primary.
    void on_moved(core::slot_set const&);
    // Ends all watches. Afterwards the session has none of their commands.
    void stop();

private:
    template <class Action>
    void for_each_of_copy(Action);

    using list = boost::intrusive::
        list<watch, boost::intrusive::base_hook<watch_hook>, boost::intrusive::constant_time_size<false>>;

    engine_parts const& parts_;
    list joined_;
    list ending_;  // have left, and the session still has their command
};

}  // namespace holdfast::engine

#endif
