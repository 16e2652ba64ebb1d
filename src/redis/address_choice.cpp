//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/address_choice.hpp"

namespace holdfast::redis {

// The smallest one that is greater than the last, or else the smallest one. So each is tried once in a round, even if the
// last one is not an address of the name any more.
std::string_view next_address(std::span<std::string const> addresses, std::string_view last) noexcept
{
    std::string_view first, greater;
    for (std::string_view const a : addresses) {
        if (first.empty() || a < first)
            first = a;
        if (a > last && (greater.empty() || a < greater))
            greater = a;
    }
    return greater.empty() ? first : greater;
}

void address_choice::choose(std::span<std::string const> addresses)
{
    auto const next = next_address(addresses, last_);
    bool const are_several = !next.empty() && next_address(addresses, next) != next;
    state_ = are_several ? state::keep : state::by_name;
    chosen_ = are_several ? next : std::string_view();
    last_ = chosen_;
}

// Where the server is a replica, nobody wants to go. A name without a connection may lead elsewhere by now.
std::string const& address_choice::known() const noexcept
{
    static std::string const none;
    if (state_ == state::keep)
        return chosen_;
    return state_ == state::by_name && is_established_ ? last_ : none;
}

void address_choice::follow(address_choice const& other)
{
    chosen_ = other.known();
    state_ = chosen_.empty() ? state::by_name : state::keep;
}

void address_choice::on_established(std::string address)
{
    last_ = std::move(address);
    is_established_ = true;
}

void address_choice::on_ended() noexcept
{
    if (!std::exchange(is_established_, false) && state_ == state::keep)
        state_ = state::advance;
}

}  // namespace holdfast::redis
