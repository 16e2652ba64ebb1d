//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_ADDRESS_CHOICE_HPP
#define HOLDFAST_REDIS_ADDRESS_CHOICE_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::redis {

// The address after `last`, in an order that does not depend on that of `addresses`: a name server may rotate them.
// Empty if there are none.
std::string_view next_address(std::span<std::string const> addresses, std::string_view last) noexcept;

// Which address of a host name the next connection leads to. A name may have the addresses of a primary and of its
// replicas, and the first one that accepts a connection may be a replica.
//
// | state   | event                                 | next    |
// |---------|---------------------------------------|---------|
// | by_name | READONLY                              | advance |
// | keep    | READONLY, or a connection that ended  | advance |
// |         | before it was established             |         |
// | advance | choose(), the name has several        | keep    |
// | advance | choose(), the name has one or none    | by_name |
// | any     | follow(), the other knows an address  | keep    |
// | any     | follow(), the other knows none        | by_name |
//
// Other events change nothing. In `by_name` the transport resolves the name and takes the first address that accepts a
// connection.
class address_choice {
public:
    // Whether the next connection needs the addresses of the name.
    bool needs_addresses() const noexcept { return state_ == state::advance; }
    // The address of the next connection; empty: the name is the address.
    std::string const& current() const noexcept { return chosen_; }
    // Chooses among the addresses of the name.
    void choose(std::span<std::string const> addresses);
    // Chooses the address at which the connections of another choice are or will be, as far as it is known.
    void follow(address_choice const&);

    // A connection to that address is established.
    void on_established(std::string address);
    // A connection has ended.
    void on_ended() noexcept;
    // The server of the current connection is a replica.
    void on_read_only() noexcept { state_ = state::advance; }

private:
    enum class state : std::uint8_t { by_name, keep, advance };

    std::string const& known() const noexcept;

    state state_ = state::by_name;
    bool is_established_ = false;
    std::string chosen_;  // empty in by_name
    std::string last_;    // the last address that was tried
};

}  // namespace holdfast::redis

#endif
