//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/watch/watches.hpp"

#include <vector>

#include "engine/runtime/runtime.hpp"

namespace holdfast::engine {

watches::~watches()
{
    stop();
}

void watches::join(watch& w)
{
    intrusive_ptr_add_ref(&w);
    joined_.push_back(w);
    w.join(parts_);
}

void watches::leave(watch& w)
{
    if (!w.is_joined())
        return;
    boost::intrusive_ptr<watch> const keep(&w, false);
    w.watch_hook::unlink();
    w.leave();
    if (w.is_under_way())
        ending_.push_back(w);
}

void watches::on_open(shard const& at)
{
    for (auto& w : joined_)
        if (parts_.runtime.is_at(at, w.lock()))
            w.refresh();
}

// The action may let this watch and others leave.
template <class Action>
void watches::for_each_of_copy(Action act)
{
    std::vector<boost::intrusive_ptr<watch>> all;
    for (auto& w : joined_)
        all.emplace_back(&w);
    for (auto const& w : all)
        if (w->is_joined())
            act(*w);
}

void watches::on_closed(shard const& at)
{
    for_each_of_copy([&](watch& w) {
        if (parts_.runtime.is_at(at, w.lock()))
            w.on_unconnected();
    });
}

void watches::on_refused(shard const& at)
{
    for_each_of_copy([&](watch& w) {
        if (parts_.runtime.is_at(at, w.lock()))
            w.on_failed(at.refusal());
    });
}

void watches::on_closing()
{
    for_each_of_copy([](watch& w) { w.on_closing(); });
}

void watches::on_moved(core::slot_set const& moved)
{
    for (auto& w : joined_)
        if (moved[w.lock().slot])
            w.refresh();
}

void watches::stop()
{
    while (!joined_.empty()) {
        boost::intrusive_ptr<watch> const w(&joined_.front());
        leave(*w);
        w->on_stopped();
    }
    while (!ending_.empty()) {
        auto& w = ending_.front();
        w.watch_hook::unlink();
        w.self_ = nullptr;  // may destroy it
    }
}

}  // namespace holdfast::engine
