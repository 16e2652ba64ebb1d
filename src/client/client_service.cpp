//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/client_service.hpp"

#include "client/client_state.hpp"

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
}

void client_service::shutdown()
{
    // The handlers that are destroyed here may own clients.
    std::vector<std::shared_ptr<client_state>> ending;
    {
        std::scoped_lock const guard(mutex_);
        for (auto* c : clients_)
            if (auto alive = c->weak_from_this().lock())
                ending.push_back(std::move(alive));
        clients_.clear();
    }
    for (auto const& c : ending)
        c->shut();
}

}  // namespace holdfast::detail
