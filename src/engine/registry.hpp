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

#include <boost/intrusive_ptr.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "engine/arbiter.hpp"
#include "engine/fair_queue.hpp"

namespace holdfast::engine {

class context;
class contender;
class grant;

// Where the contenders of one client meet: at the arbiters of its locks, and in the queues of its fair locks.
class registry {
public:
    explicit registry(context& c) noexcept : context_(c) {}

    // The common arbiter of a lock, or one for this contender alone.
    boost::intrusive_ptr<arbiter> arbiter_for(contender const&);
    void forget(arbiter&);
    // Whether somebody of this process waits to write; of a read_write_lock.
    bool has_waiting_writer(lock_spec const&) const noexcept;

    boost::intrusive_ptr<fair_queue> queue_of(std::shared_ptr<lock_spec const> const&);
    void forget(fair_queue&);

    std::size_t arbiters() const noexcept { return common_.size() + private_.size(); }
    void clear() noexcept;

    // Arbiters come and go while they are told.
    template <class Action>
    void for_each_arbiter(Action act) const
    {
        for (auto const& a : all_arbiters())
            act(*a);
    }

    template <class Action>
    void for_each_queue(Action act) const
    {
        for (auto const& entry : queues_)
            act(*entry.second);
    }

private:
    boost::intrusive_ptr<arbiter> make_private(contender const&, boost::intrusive_ptr<grant> cover);
    std::vector<boost::intrusive_ptr<arbiter>> all_arbiters() const;

    // The side of a lock.
    struct address {
        std::string_view key;
        std::size_t key_hash;
        std::uint8_t side;

        static address of(lock_spec const&, std::uint8_t side) noexcept;
        friend std::size_t hash_value(address const& a) noexcept { return a.key_hash + a.side; }
        friend bool operator==(address const& a, address const& b) noexcept
        {
            return a.side == b.side && a.key == b.key;
        }
    };

    context& context_;
    boost::unordered_flat_map<address, boost::intrusive_ptr<arbiter>> common_;
    boost::unordered_flat_set<boost::intrusive_ptr<arbiter>> private_;
    boost::unordered_flat_map<std::string_view, boost::intrusive_ptr<fair_queue>> queues_;
};

}  // namespace holdfast::engine

#endif
