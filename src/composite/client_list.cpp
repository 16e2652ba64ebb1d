//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "composite/client_list.hpp"

#include <algorithm>

namespace holdfast::detail {
namespace {

void add_clients(client_list& to, lock_list const& of)
{
    for (auto const& l : of) {
        if (auto const* const parts = l->parts())
            add_clients(to, *parts);
        else if (auto c = l->home(); c && c->is_alive() && std::ranges::count(to, c) == 0)
            to.push_back(std::move(c));
    }
}

}  // namespace

client_list clients_of(lock_list const& of)
{
    client_list all;
    add_clients(all, of);
    return all;
}

std::optional<time_limit> guard_of(client_list const& all, asio::any_io_executor const& here, core::duration within)
{
    using namespace std::chrono_literals;
    auto const is_elsewhere = [&](auto const& c) { return !c->shares_context_of(here); };
    if (within == core::duration::max() || std::ranges::none_of(all, is_elsewhere))
        return std::nullopt;
    return time_limit{.until = all.front()->after(within + 1ms)};
}

std::optional<time_limit> guard_of(client_list const& all, asio::any_io_executor const& here)
{
    core::duration longest{};
    for (auto const& c : all)
        longest = std::max<core::duration>(longest, c->options().command_timeout);
    return guard_of(all, here, longest);
}

}  // namespace holdfast::detail
