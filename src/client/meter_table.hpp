//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_METER_TABLE_HPP
#define HOLDFAST_METER_TABLE_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <holdfast/lock_kind.hpp>
#include <holdfast/stats.hpp>

#include "engine/runtime/meters.hpp"

namespace holdfast::detail {

// The statistics of a client's locks, by kind and label. The meters of a kind and a label are made for the first handle
// that needs them and live as long as the table, so a handle finds them once and its events need no lookup.
// Thread-safe: any thread makes handles.
class meter_table {
public:
    using label_function = std::function<std::string(std::string_view name)>;

    meter_table(label_function f, std::size_t max_labels) : label_of_(std::move(f)), max_labels_(max_labels) {}

    // Without a label function these neither lock nor allocate, but for the first handle of a kind.
    engine::lock_meters& of_single(lock_kind, std::string_view name);
    engine::composite_meters& of_composite(lock_kind, std::string_view name);
    // The parts, by label and then by kind, and their sum.
    stats read() const;

private:
    // The enumerators of composite locks are the last ones.
    static constexpr auto single_kinds = static_cast<std::size_t>(lock_kind::multi);
    static constexpr auto composite_kinds = static_cast<std::size_t>(lock_kind::red) + 1 - single_kinds;

    // Meters that do not exist before they are needed: a client uses few kinds of lock.
    template <class Meters>
    class lazy {
    public:
        lazy() = default;
        ~lazy() { delete made_.load(); }
        lazy(lazy const&) = delete;
        lazy& operator=(lazy const&) = delete;

        Meters const* get() const noexcept { return made_.load(std::memory_order_acquire); }
        Meters& make();

    private:
        std::atomic<Meters*> made_ = nullptr;
    };

    // Of one label.
    struct row {
        std::array<lazy<engine::lock_meters>, single_kinds> single;
        std::array<lazy<engine::composite_meters>, composite_kinds> composite;
    };

    row& row_of(std::string_view name);
    std::string label_of(std::string_view name) const noexcept;
    static void add_parts(stats&, std::string const& label, row const&);

    label_function const label_of_;
    std::size_t const max_labels_;
    row unlabelled_;
    row other_;
    mutable std::mutex mutex_;             // of labelled_
    std::map<std::string, row> labelled_;  // a map, because its rows do not move
};

}  // namespace holdfast::detail

#endif
