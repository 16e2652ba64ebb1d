//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REGISTRY_HPP
#define HOLDFAST_ENGINE_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive_ptr.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "engine/acquire/arbiter_host.hpp"
#include "engine/acquire/queued_arbiter.hpp"

namespace holdfast::engine {

struct engine_parts;
class contender;
class end_listener;
class grant;

// The arbiters of one client: it makes them, chooses the arbiter of each contender, and drops them when they have
// nothing left to do. client_engine owns it. On the strand.
class registry final : public arbiter_host {
public:
    registry(engine_parts const& p, end_listener& l) noexcept : parts_(p), listener_(l) {}
    ~registry() { clear(); }

    void contend(contender&) override;
    void forget(queued_arbiter&) override;
    bool has_waiting_writer(lock_spec const&) const noexcept override;

    std::size_t arbiters() const noexcept { return common_.size() + private_.size(); }
    // Drops all arbiters. Precondition: they are stopped.
    void clear() noexcept;

    // Works on a copy of the list: the action may lead to new arbiters, and to the end of others.
    template <class Action>
    void for_each_arbiter(Action act)
    {
        for (auto const& a : all_arbiters())
            act(*a);
    }

private:
    using arbiter_ptr = boost::intrusive_ptr<queued_arbiter>;

    // The arbiter that contenders of this lock share, or a new one for this contender alone.
    arbiter_ptr arbiter_for(contender const&);
    arbiter_ptr make_private(contender const&, boost::intrusive_ptr<grant> cover);
    void forget_common(queued_arbiter const&);
    std::vector<arbiter_ptr> all_arbiters();
    static void drop(queued_arbiter*) noexcept;

    // One side of a lock. The view of the key refers to the lock of the arbiter that is stored with it.
    struct address {
        std::string_view key;
        std::uint32_t key_hash;
        std::uint8_t side;

        static address of(lock_spec const&, std::uint8_t side) noexcept;
        friend std::size_t hash_value(address const& a) noexcept { return a.key_hash + a.side; }
        friend bool operator==(address const& a, address const& b) noexcept
        {
            return a.side == b.side && a.key == b.key;
        }
    };

    engine_parts const& parts_;
    end_listener& listener_;
    boost::unordered_flat_map<address, arbiter_ptr> common_;
    boost::intrusive::list<queued_arbiter> private_;  // with a reference to each, in the order in which they were made
};

}  // namespace holdfast::engine

#endif
