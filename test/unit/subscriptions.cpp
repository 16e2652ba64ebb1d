//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/subscriptions.hpp"

#include <functional>
#include <memory>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "engine/port/mailbox.hpp"
#include "engine/runtime/runtime.hpp"
#include "unit/fake_session.hpp"
#include "unit/fake_world.hpp"
#include "unit/lock_of.hpp"

namespace holdfast::engine {
namespace subscriptions_test {

class recorder final : public listener {
public:
    explicit recorder(std::function<void()> f = [] {}) : then_(std::move(f)) {}
    void on_message() override
    {
        ++messages;
        then_();
    }

    int messages = 0;

private:
    std::function<void()> then_;
};

struct world {
    std::shared_ptr<fake_session> session = std::make_shared<fake_session>();
    engine::runtime runtime{{std::make_shared<fake_world>(), session}, {}, log(), {}};
    engine::subscriptions subscriptions{runtime};
    lock_spec lock = lock_of("seat");
};

TEST_CASE("a message reaches each listener of its channel once, and none of another channel", "[subscriptions]")
{
    world w;
    recorder first, second, other;
    w.subscriptions.join(w.lock, "c", first);
    w.subscriptions.join(w.lock, "c", second);
    w.subscriptions.join(w.lock, "d", other);
    CHECK(w.session->subscribed == texts{"c", "d"});
    w.subscriptions.on_message("c");
    w.subscriptions.on_message("c");
    CHECK((first.messages == 2 && second.messages == 2 && other.messages == 0));
    w.subscriptions.leave("c", first);
    w.subscriptions.leave("c", second);
    w.subscriptions.leave("d", other);
}

TEST_CASE("a listener that ends within the call of another one receives no message", "[subscriptions]")
{
    world w;
    auto last = std::make_unique<recorder>();  // on the heap, where AddressSanitizer notices a read after its end
    recorder first([&] {
        if (!last)
            return;
        w.subscriptions.leave("c", *last);
        last.reset();
    });
    w.subscriptions.join(w.lock, "c", first);
    w.subscriptions.join(w.lock, "c", *last);
    w.subscriptions.on_message("c");
    w.subscriptions.on_message("c");
    CHECK((first.messages == 2 && !last));
    w.subscriptions.leave("c", first);
}

TEST_CASE("a listener that leaves and joins again within its call receives the next message", "[subscriptions]")
{
    world w;
    recorder* self = nullptr;
    recorder one([&] {
        w.subscriptions.leave("c", *self);
        w.subscriptions.join(w.lock, "c", *self);
    });
    self = &one;
    w.subscriptions.join(w.lock, "c", one);
    w.subscriptions.on_message("c");
    w.subscriptions.on_message("c");
    CHECK((one.messages == 2 && w.session->subscribed == texts{"c"}));
    w.subscriptions.leave("c", one);
}

TEST_CASE("a listener that joins within the call of another one receives only later messages", "[subscriptions]")
{
    world w;
    recorder late;
    recorder first([&] {
        if (!late.is_linked())
            w.subscriptions.join(w.lock, "c", late);
    });
    w.subscriptions.join(w.lock, "c", first);
    w.subscriptions.on_message("c");
    CHECK(late.messages == 0);
    w.subscriptions.on_message("c");
    CHECK(late.messages == 1);
    w.subscriptions.leave("c", first);
    w.subscriptions.leave("c", late);
}

TEST_CASE("an epoch renews the subscriptions at its own server only", "[subscriptions]")
{
    world w;
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    w.session->subscribed.clear();
    shard other(std::make_shared<fake_session>(), w.runtime.log());
    w.subscriptions.on_open(other);
    CHECK(w.session->subscribed.empty());
    w.subscriptions.on_open(w.runtime.shard_of(w.lock));
    CHECK(w.session->subscribed == texts{"c"});
    w.subscriptions.leave("c", heard);
}

TEST_CASE("the end of an epoch forgets the idle channels of its own server only", "[subscriptions]")
{
    world w;
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    w.subscriptions.leave("c", heard);
    shard other(std::make_shared<fake_session>(), w.runtime.log());
    w.subscriptions.on_closed(other);
    CHECK(w.subscriptions.size() == 1);
    w.subscriptions.on_closed(w.runtime.shard_of(w.lock));
    CHECK(w.subscriptions.size() == 0);
}

// Sharded messages: what the server says of a subscription.

TEST_CASE(
    "a subscription that has ended is repeated once the slots are known, and its listeners look", "[subscriptions]")
{
    world w;
    auto& at = w.runtime.shard_of(w.lock);
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    CHECK(w.subscriptions.is_subscribed("c"));
    CHECK(w.subscriptions.on_unsubscribed(at, "c"));
    CHECK_FALSE(w.subscriptions.on_unsubscribed(at, "c"));
    CHECK_FALSE(w.subscriptions.is_subscribed("c"));
    w.session->subscribed.clear();
    w.subscriptions.on_slots();
    CHECK((w.session->subscribed == texts{"c"} && heard.messages == 1));
    w.subscriptions.on_slots();
    w.subscriptions.on_subscribed(at, "c");
    w.subscriptions.on_slots();
    CHECK((w.session->subscribed == texts{"c"} && heard.messages == 1));
    w.subscriptions.leave("c", heard);
}

// A seed may be out of date, so it does not decide.
TEST_CASE(
    "a server that refuses a subscription twice is asked for the state of the lock, not a seed", "[subscriptions]")
{
    world w;
    w.session->identity_of_server.messages = message_form::sharded;
    auto& at = w.runtime.shard_of(w.lock);
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    CHECK(w.subscriptions.on_unsubscribed(at, "c"));
    w.subscriptions.on_slots();
    w.subscriptions.on_served(at, "c");
    CHECK(heard.messages == 1);
    CHECK_FALSE(w.subscriptions.on_unsubscribed(at, "c"));
    CHECK(heard.messages == 2);
    w.subscriptions.on_slots();
    // The slot may have come only since the refusal.
    w.session->subscribed.clear();
    w.subscriptions.on_served(at, "c");
    CHECK((w.session->subscribed == texts{"c"} && heard.messages == 3));
    CHECK_FALSE(w.subscriptions.on_unsubscribed(at, "c"));
    CHECK((at.session().notifies() && heard.messages == 4));
    w.subscriptions.on_served(at, "c");
    CHECK_FALSE(at.session().notifies());
    w.subscriptions.leave("c", heard);
}

TEST_CASE("an idle channel whose subscription ends is forgotten", "[subscriptions]")
{
    world w;
    auto& at = w.runtime.shard_of(w.lock);
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    w.subscriptions.leave("c", heard);
    w.subscriptions.on_unsubscribed(at, "c");
    CHECK((w.subscriptions.size() == 0 && w.runtime.deadlines() == 0));
}

TEST_CASE("what another server says of a subscription does not count", "[subscriptions]")
{
    world w;
    recorder heard;
    w.subscriptions.join(w.lock, "c", heard);
    shard other(std::make_shared<fake_session>(), w.runtime.log());
    CHECK_FALSE(w.subscriptions.on_unsubscribed(other, "c"));
    CHECK(w.subscriptions.is_subscribed("c"));
    w.subscriptions.leave("c", heard);
}

TEST_CASE("a listener that joins a channel whose subscription has ended subscribes again", "[subscriptions]")
{
    world w;
    auto& at = w.runtime.shard_of(w.lock);
    recorder first, second;
    w.subscriptions.join(w.lock, "c", first);
    w.subscriptions.on_unsubscribed(at, "c");
    w.session->subscribed.clear();
    w.subscriptions.join(w.lock, "c", second);
    CHECK((w.session->subscribed == texts{"c"} && w.subscriptions.is_subscribed("c")));
    w.subscriptions.leave("c", first);
    w.subscriptions.leave("c", second);
}

}  // namespace subscriptions_test
}  // namespace holdfast::engine
