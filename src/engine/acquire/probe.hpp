//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_PROBE_HPP
#define HOLDFAST_ENGINE_PROBE_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "engine/port/command.hpp"
#include "engine/port/session.hpp"

namespace holdfast::engine {

// Whoever has sent a probe.
class probe_listener {
public:
    // One of its answers came.
    virtual void on_probed() = 0;

protected:
    ~probe_listener() = default;
};

// What stands in the way of a try, where its refusal does not say: PTTL asks when the grant in the way ends; TYPE,
// until that is known, whether it is a lock at all. Sent before the try, in one write with it. The answers come
// whatever becomes of the try: it lives until then.
class probe {
public:
    explicit probe(probe_listener& to) noexcept : to_(to) {}
    probe(probe const&) = delete;
    probe& operator=(probe const&) = delete;

    // How many answers will come. Precondition: those of the last time have come.
    std::uint8_t send(session&, std::string_view key);
    // Instead of a probe: that is taken for what it would have shown.
    void guess(core::duration remaining) noexcept { remaining_ = remaining; }

    // Until the grant in the way ends; max: not known, or never.
    core::duration remaining() const noexcept { return remaining_; }
    // Once for each answer: what stands under the key never was a lock.
    bool take_wrong_type() noexcept { return std::exchange(wrong_type_, false); }

private:
    void on_ttl(answer const&);
    void on_type(answer const&);

    probe_listener& to_;
    command_of<probe, &probe::on_ttl> ttl_command_{*this};
    command_of<probe, &probe::on_type> type_command_{*this};
    core::duration remaining_ = core::duration::max();
    bool type_known_ = false;  // what stands under the key is a lock
    bool wrong_type_ = false;
};

}  // namespace holdfast::engine

#endif
