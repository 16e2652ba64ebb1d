//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCKLESS_QUERY_HPP
#define HOLDFAST_LOCKLESS_QUERY_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <holdfast/client.hpp>
#include <holdfast/detail/initiate.hpp>

#include "engine/protocol/lock_protocol.hpp"
#include "operations/query.hpp"

namespace holdfast::detail {

// A query about the server, not about a lock. A query needs a lock, so this one has a lock without a name: a refusal is
// not reported as that of a lock. In a cluster it goes to the primary that has the hash slot.
template <class Result>
class lockless_query : public query<Result> {
public:
    lockless_query(
        typename query<Result>::handler_type h, std::shared_ptr<client_state> const& home, std::uint16_t slot = 0)
        : query<Result>(std::move(h), home, no_lock(slot))
    {}

private:
    static std::shared_ptr<engine::lock_spec const> no_lock(std::uint16_t slot)
    {
        engine::lock_spec::words const words{.prefix = {}, .name = {}, .channel = {}, .counter = {}, .label = {}};
        auto spec = std::make_shared<engine::lock_spec>(
            engine::mutex_protocol(false), words, std::vector<std::string>());
        spec->slot = slot;
        return spec;
    }
};

}  // namespace holdfast::detail

#endif
