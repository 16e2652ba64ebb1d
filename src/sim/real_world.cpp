//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "sim/real_world.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "sim/strand_timer.hpp"

namespace holdfast::simulated {

struct real_world::alarm final : clock_listener, std::enable_shared_from_this<alarm> {
    alarm(engine::strand const& s, std::weak_ptr<session::clock_events> e, std::shared_ptr<adjustable_clock> c)
        : strand(s), timer(s), to(std::move(e)), clock(std::move(c))
    {}

    // The wake-up comes earlier by what was added.
    void on_advanced() override
    {
        boost::asio::post(strand, [weak = weak_from_this()] {
            if (auto const a = weak.lock(); a && a->due != core::never)
                a->wake_at(std::exchange(a->due, core::never));
        });
    }

    // A later request is covered by the earlier one. expires_after() cancels the wait that was pending.
    void wake_at(core::instant when)
    {
        if (when >= due)
            return;
        due = when;
        // Relative: the clock of the timer is another one. It stands still while the host sleeps, so the wake-up may
        // come late; validity is compared with now(), not with the wake-up (rule 18).
        timer.expires_after(std::max(due - clock->now(), core::duration::zero()));
        timer.async_wait([self = weak_from_this()](boost::system::error_code ec) {
            if (auto const a = self.lock(); a && !ec)
                a->ring();
        });
    }

    void ring()
    {
        due = core::never;  // first: on_time() requests the next wake-up
        if (auto const listener = to.lock())
            listener->on_time();
    }

    engine::strand const strand;
    strand_timer timer;
    std::weak_ptr<session::clock_events> to;
    std::shared_ptr<adjustable_clock> const clock;
    core::instant due = core::never;
};

real_world::real_world(
    engine::strand const& s, std::weak_ptr<session::clock_events> to, std::shared_ptr<adjustable_clock> clock)
    : random_(std::random_device{}()), clock_(clock), alarm_(std::make_shared<alarm>(s, std::move(to), clock))
{
    clock_->tell(alarm_);
}

real_world::~real_world() = default;

void real_world::wake_at(core::instant when)
{
    alarm_->wake_at(when);
}

// A handler whose wait has ended already cannot be cancelled: without a listener it does nothing.
void real_world::stop() noexcept
{
    alarm_->to.reset();
    alarm_->timer.cancel();
}

// From the operating system, not from random_: two processes must not have the same tokens (rule 6).
std::array<std::uint8_t, 16> real_world::identity()
{
    std::random_device source;
    std::array<std::uint8_t, 16> id;
    for (std::size_t at = 0; at != id.size(); at += 4) {
        std::uint32_t const bits = source();
        std::memcpy(id.data() + at, &bits, sizeof bits);
    }
    return id;
}

// A forked child has another process id than its parent.
std::uint64_t real_world::incarnation() const noexcept
{
    return static_cast<std::uint64_t>(::getpid());
}

}  // namespace holdfast::simulated
