//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/port/mailbox.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/turn_budget.hpp"

namespace holdfast::engine {
namespace mailbox_test {

struct letters {
    struct letter final : message {
        letter(letters& l, std::size_t n) : to(l), number(n) {}
        void deliver(client_engine&) override
        {
            to.delivered.push_back(number);
            to.at_delivery();
        }
        void discard() noexcept override { to.discarded.push_back(number); }
        letters& to;
        std::size_t number;
    };

    // Returns whether the mailbox asks for a delivery.
    bool send() { return box.push(all.emplace_back(*this, all.size())); }
    // The messages do not use the engine.
    bool deliver() { return box.deliver(reinterpret_cast<client_engine&>(nothing)); }
    void send(std::size_t count)
    {
        while (count-- > 0)
            send();
    }
    bool are_in_order() const
    {
        for (std::size_t i = 0; i < delivered.size(); ++i)
            if (delivered[i] != i)
                return false;
        return true;
    }

    alignas(std::max_align_t) std::byte nothing[16]{};
    std::deque<letter> all;
    std::vector<std::size_t> delivered, discarded;
    std::function<void()> at_delivery = [] {};
    mailbox box;  // destroyed first: it discards the messages that were not delivered
};

TEST_CASE("mailbox: the sender of the first message schedules the delivery of all", "[mailbox]")
{
    letters l;
    CHECK(l.send());
    CHECK_FALSE(l.send());
    CHECK_FALSE(l.deliver());
    CHECK(l.delivered == std::vector<std::size_t>{0, 1});
    CHECK(l.send());
}

TEST_CASE(
    "mailbox: a message that is sent during a delivery is for the next one, which its sender schedules", "[mailbox]")
{
    letters l;
    l.send(1);
    bool schedules = false;
    l.at_delivery = [&] { schedules = l.all.size() == 1 && l.send(); };
    CHECK_FALSE(l.deliver());
    CHECK(schedules);
    CHECK(l.delivered.size() == 1);
}

TEST_CASE("mailbox: of thousands of messages each delivery takes a part, in order", "[mailbox][bounds]")
{
    letters l;
    l.send(2 * core::turn_budget + 5);
    CHECK(l.deliver());
    CHECK(l.delivered.size() == core::turn_budget);
    // The delivery that its sender schedules is taken by the rest, which another one must follow.
    CHECK(l.send());
    CHECK(l.deliver());
    CHECK(l.deliver());
    CHECK_FALSE(l.deliver());
    CHECK(l.delivered.size() == l.all.size());
    CHECK(l.are_in_order());
}

TEST_CASE("mailbox: what a delivery has left is discarded first", "[mailbox]")
{
    letters l;
    l.send(core::turn_budget + 2);
    CHECK(l.deliver());
    l.send();
    l.box.discard_all();
    auto const n = core::turn_budget;
    CHECK(l.discarded == std::vector<std::size_t>{n, n + 1, n + 2});
}

}  // namespace mailbox_test
}  // namespace holdfast::engine
