//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/client_service.hpp"

#include "client/client_state.hpp"
#include "core/memory_end.hpp"

namespace holdfast::detail {

boost::asio::execution_context::id client_service::id;

void client_service::add(client_state& c)
{
    std::scoped_lock const guard(mutex_);
    clients_.insert(&c);
}

void client_service::remove(client_state& c) noexcept
{
    std::scoped_lock const guard(mutex_);
    clients_.erase(&c);
    removed_.notify_all();
}

// Called by the destructor of the execution context, when none of its threads runs any more. Other threads may: the
// last reference to a client, for example that of a lease which reads the clock, may be dropped on any of them. Such a
// client removes itself when its parts are destroyed, and the context must not end before.
void client_service::shutdown()
{
    // shut() destroys handlers, and a handler may own the last reference to this or another client. So the references
    // are kept until the end, and the mutex is unlocked by then: the destructor of a client locks it in remove().
    auto const ending = take_all();
    {
        std::unique_lock guard(mutex_);
        removed_.wait(guard, [this] { return clients_.empty(); });
    }
    for (auto const& c : ending)
        c->shut();
}

// Called by a program that forks and goes on with the context in the child. Asio has made the reactor of the child
// before, because the service of the reactor is older.
void client_service::notify_fork(boost::asio::execution_context::fork_event e)
{
    if (e != boost::asio::execution_context::fork_child)
        return;
    for (auto const& c : take_all())
        c->shut();
}

std::vector<std::shared_ptr<client_state>> client_service::take_all()
{
    std::scoped_lock const guard(mutex_);
    std::vector<std::shared_ptr<client_state>> all;
    core::run_or_end([&] { all.reserve(clients_.size()); });
    for (auto* c : clients_)
        if (auto alive = c->weak_from_this().lock())  // null: its destructor runs
            all.push_back(std::move(alive));
    for (auto const& c : all)
        clients_.erase(c.get());
    return all;
}

}  // namespace holdfast::detail
