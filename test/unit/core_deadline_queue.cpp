//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/deadline_queue.hpp"
#include "core/turn_budget.hpp"

namespace holdfast::core {
namespace core_deadline_queue_test {

using namespace std::chrono_literals;

constexpr instant epoch{};

struct recorder final : deadline {
    explicit recorder(std::vector<recorder*>& log) : called(log) {}
    void on_due(instant) override { called.push_back(this); }
    std::vector<recorder*>& called;
};

TEST_CASE("deadlines are called in the order of their times, each once", "[deadline_queue]")
{
    std::vector<recorder*> called;
    recorder a(called), b(called), c(called);
    deadline_queue queue;
    queue.arm(a, epoch + 3s);
    queue.arm(b, epoch + 1s);
    queue.arm(c, epoch + 2s);
    CHECK(queue.next() == epoch + 1s);

    queue.run(epoch + 2s);
    CHECK(called == std::vector{&b, &c});
    CHECK(!b.is_armed());
    CHECK(a.is_armed());
    queue.run(epoch + 10s);
    CHECK(called == std::vector{&b, &c, &a});
    CHECK(queue.next() == never);
}

TEST_CASE("a deadline can be moved and disarmed, and leaves the queue when it is destroyed", "[deadline_queue]")
{
    std::vector<recorder*> called;
    deadline_queue queue;
    recorder a(called);
    auto b = std::make_unique<recorder>(called);
    queue.arm(a, epoch + 1s);
    queue.arm(*b, epoch + 2s);
    queue.arm(a, epoch + 5s);
    CHECK(queue.next() == epoch + 2s);
    b.reset();
    CHECK(queue.size() == 1);
    queue.disarm(a);
    queue.disarm(a);
    queue.run(never - 1s);
    CHECK(called.empty());
}

TEST_CASE("a deadline that arms itself again for the current time is called again in the same run", "[deadline_queue]")
{
    struct again final : deadline {
        void on_due(instant now) override
        {
            if (++times < 3)
                queue->arm(*this, now);
        }
        deadline_queue* queue = nullptr;
        int times = 0;
    };
    again a;
    deadline_queue queue;
    a.queue = &queue;
    queue.arm(a, epoch);
    queue.run(epoch);
    CHECK(a.times == 3);
}

TEST_CASE("of thousands of deadlines that are due each run calls a part, the earliest first", "[deadline_queue]")
{
    std::vector<recorder*> called;
    std::deque<recorder> all;
    deadline_queue queue;
    for (std::size_t i = 0; i < turn_budget + 2; ++i)
        queue.arm(all.emplace_back(called), epoch + 1s + i * 1us);
    queue.run(epoch + 2s);
    CHECK(called.size() == turn_budget);
    CHECK(queue.next() == all[turn_budget].due());
    queue.run(epoch + 2s);
    CHECK(called.size() == turn_budget + 2);
    CHECK(called.back() == &all.back());
}

TEST_CASE("a queue that is destroyed disarms its deadlines", "[deadline_queue]")
{
    std::vector<recorder*> called;
    recorder a(called);
    {
        deadline_queue queue;
        queue.arm(a, epoch);
    }
    CHECK(!a.is_armed());
}

TEST_CASE("deadlines that are armed and disarmed at random are called in order", "[deadline_queue]")
{
    std::mt19937 random(7);
    std::vector<recorder*> called;
    std::vector<std::unique_ptr<recorder>> all;
    deadline_queue queue;
    for (int i = 0; i < 500; ++i)
        all.push_back(std::make_unique<recorder>(called));
    for (int i = 0; i < 5'000; ++i) {
        auto& d = *all[random() % all.size()];
        if (random() % 3 == 0)
            queue.disarm(d);
        else
            queue.arm(d, epoch + std::chrono::milliseconds(random() % 1'000));
    }
    auto const armed = static_cast<std::size_t>(std::ranges::count_if(all, [](auto& d) { return d->is_armed(); }));
    CHECK(queue.size() == armed);
    for (auto t = 0ms; t <= 1s; t += 10ms)
        queue.run(epoch + t);
    CHECK(called.size() == armed);
    CHECK(std::ranges::is_sorted(called, {}, [](auto* d) { return d->due(); }));
}

}  // namespace core_deadline_queue_test
}  // namespace holdfast::core
