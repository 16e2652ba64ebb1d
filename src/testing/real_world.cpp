//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "testing/real_world.hpp"

#include <cstring>
#include <ctime>
#include <unistd.h>
#include <vector>

#include "testing/memory_server.hpp"

namespace holdfast::simulated {

core::instant boot_time() noexcept
{
#ifdef CLOCK_BOOTTIME
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return core::instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
#else
    return core::instant(std::chrono::steady_clock::now().time_since_epoch());
#endif
}

// What is to be called when, behind one timer.
struct real_world::agenda : std::enable_shared_from_this<agenda> {
    explicit agenda(engine::strand const& s) : timer(s) {}

    void add(core::instant when, std::function<void()> f)
    {
        entries.emplace(when, std::move(f));
        if (entries.begin()->first < armed_for)
            arm();
    }

    void arm()
    {
        armed_for = entries.empty() ? core::never : entries.begin()->first;
        if (entries.empty())
            return;
        timer.expires_after(armed_for - boot_time());
        timer.async_wait([self = weak_from_this()](boost::system::error_code ec) {
            if (auto const a = self.lock(); a && !ec)
                a->work();
        });
    }

    void work()
    {
        std::vector<std::function<void()>> due;
        for (auto const now = boot_time(); !entries.empty() && entries.begin()->first <= now;) {
            due.push_back(std::move(entries.begin()->second));
            entries.erase(entries.begin());
        }
        arm();
        for (auto const& f : due)
            f();
    }

    boost::asio::steady_timer timer;
    std::multimap<core::instant, std::function<void()>> entries;
    core::instant armed_for = core::never;
};

real_world::real_world(engine::strand s, std::shared_ptr<memory_server> m)
    : strand_(std::move(s)),
      server_(std::move(m)),
      random_(std::random_device{}()),
      agenda_(std::make_shared<agenda>(strand_))
{}

real_world::~real_world() = default;

void real_world::at(core::instant when, std::function<void()> f)
{
    agenda_->add(when, std::move(f));
}

// A timer under way would keep the user's run() from returning.
void real_world::stop() noexcept
{
    agenda_->entries.clear();
    agenda_->timer.cancel();
}

std::shared_ptr<link> real_world::dial(std::weak_ptr<link_events> to)
{
    return server_->dial(strand_, std::move(to));
}

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

std::uint64_t real_world::incarnation() const noexcept
{
    return static_cast<std::uint64_t>(::getpid());
}

}  // namespace holdfast::simulated
