//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_TELEMETRY_HPP
#define HOLDFAST_ENGINE_TELEMETRY_HPP

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>

#include <holdfast/error.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/stats.hpp>

#include "core/clock.hpp"
#include "engine/log.hpp"
#include "engine/meters.hpp"

namespace holdfast::engine {

class contender;
class lock_spec;
class tenure;

// What a client tells of itself: counted, to its observer, in its log, and as its last failure.
class telemetry {
public:
    telemetry(std::shared_ptr<observer> o, log l) : observer_(std::move(o)), log_(std::move(l)) {}

    // ---- any thread
    stats read_stats() const;
    // Of composite locks, whose acquires are not contenders.
    composite_meters& composites() noexcept { return composites_; }
    failure last_failure() const;
    void remember(error_code, std::string_view words);

    // ---- on the strand
    // Those that are a part of something else are not counted.
    void on_joined(contender const&);
    void on_acquired(contender const&, core::duration waited);
    void on_busy(contender const&, core::duration waited);
    void on_failed(contender const&, error_code, core::duration waited);

    void on_begun(tenure const&);
    void on_ended(tenure const&, core::duration held);
    void on_lost(tenure const&, core::duration held);
    void on_at_risk(tenure const&);
    void on_renewed(core::duration lag) { meters_.renewal_lag.add(lag); }
    void on_handed_off() { meters_.handed_off.add(); }
    void on_answered(core::duration trip) { meters_.round_trip.add(trip); }

    // The server refused a command.
    void on_refused(error_code, lock_spec const&, std::string_view words);
    // The server takes renewals again, after it refused that of this lock.
    void on_renewed_again(lock_spec const&);
    // The server refused a script over several locks; `done`: what the script does to them.
    void on_batch_refused(std::string_view done, std::string_view words);
    void on_connected();
    void on_disconnected(error_code, std::string_view words);
    // The client was stopped, and so many grants are still to be released.
    void on_stopped(std::size_t releases);

private:
    std::shared_ptr<observer> const observer_;
    log const log_;
    meters meters_;
    composite_meters composites_;
    std::size_t tenures_ = 0;  // now, of whoever
    mutable std::mutex failure_mutex_;
    failure failure_;
};

}  // namespace holdfast::engine

#endif
