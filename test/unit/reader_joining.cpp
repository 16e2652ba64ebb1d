//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/reader_joining.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/turn_budget.hpp"
#include "unit/lock_of.hpp"

namespace holdfast::engine {
namespace reader_joining_test {

class reader final : public contender {
public:
    explicit reader(std::shared_ptr<lock_spec const> l)
        : contender({.lock = std::move(l), .owner = {}, .terms = {}, .wait = {}})
    {}

private:
    void deliver(client_engine&) override {}
    void discard() noexcept override {}
    tenure* make_tenure(tenure::beginning) const override { return nullptr; }
    void granted(boost::intrusive_ptr<tenure>) override {}
    void busy() override {}
    void failed(detail::described_error) override {}
};

// A queue of readers, as an arbiter has it, that counts how often readers are asked.
class queue_of_readers {
public:
    ~queue_of_readers() { take_all(); }

    contender& join()
    {
        auto* const c = new reader(lock_);
        intrusive_ptr_add_ref(c);
        queue_.push_back(*c);
        return *c;
    }
    void take(contender& c)
    {
        queue_.erase(queue_.iterator_to(c));
        c.asked_in = 0;
        intrusive_ptr_release(&c);
    }
    void take_all()
    {
        while (!queue_.empty())
            take(queue_.front());
    }

    // Returns how many entered. Those take others with them.
    template <class MayEnter>
    std::size_t admit(MayEnter may_enter, std::vector<contender*> const& others = {})
    {
        std::size_t entered = 0;
        auto const ask = [&](contender const& c) { return ++asked, may_enter(c); };
        auto const enter = [&](contender& c) {
            ++entered;
            take(c);
            for (auto* const o : others)
                take(*o);
        };
        joining.admit(queue_, ask, enter);
        return entered;
    }
    std::size_t size() const noexcept { return queue_.size(); }

    reader_joining joining;
    std::size_t asked = 0;

private:
    std::shared_ptr<lock_spec const> const lock_ = std::make_shared<lock_spec const>(lock_of("rw"));
    reader_joining::readers queue_;
};

constexpr std::size_t many = 1'000;

bool never(contender const&)
{
    return false;
}

bool always(contender const&)
{
    return true;
}

TEST_CASE("a reader that joins a queue of many is the only one that is asked", "[read_write_lock][bounds]")
{
    queue_of_readers q;
    for (std::size_t i = 0; i < many; ++i) {
        q.join();
        CHECK(q.admit(never) == 0);
    }
    CHECK(q.asked == many);

    auto const& last = q.join();
    CHECK(q.admit([&](contender const& c) { return &c == &last; }) == 1);
    CHECK(q.size() == many);
    CHECK(q.asked == many + 1);
}

TEST_CASE("readers that were refused are asked again, once each, after a change", "[read_write_lock][bounds]")
{
    queue_of_readers q;
    for (std::size_t i = 0; i < many; ++i)
        q.join();
    CHECK(q.admit(never) == 0);
    CHECK(q.admit(always) == 0);

    q.joining.ask_all();
    CHECK(q.admit(always) == many);
    CHECK(q.asked == 2 * many);
}

TEST_CASE("each of many readers is asked once when some of them enter", "[read_write_lock][bounds]")
{
    queue_of_readers q;
    for (std::size_t i = 0; i < many; ++i)
        q.join();
    bool enters = false;
    CHECK(q.admit([&](contender const&) { return enters = !enters; }) == many / 2);
    CHECK(q.asked == many);
}

TEST_CASE("of thousands of readers each call lets in a part, in order", "[read_write_lock][bounds]")
{
    queue_of_readers q;
    for (std::size_t i = 0; i < core::turn_budget + 2; ++i)
        q.join();
    CHECK(q.admit(always) == core::turn_budget);
    CHECK(q.admit(always) == 2);
    CHECK(q.admit(always) == 0);
}

TEST_CASE("a reader that enters may take others out of the queue", "[read_write_lock]")
{
    queue_of_readers q;
    auto& a = q.join();
    auto& b = q.join();
    q.join();
    auto& d = q.join();
    q.join();
    // The one before b leaves, so the search begins anew.
    auto const is_b = [&](contender const& c) { return &c == &b; };
    CHECK(q.admit(is_b, {&a, &d}) == 1);
    CHECK(q.size() == 2);
    CHECK(q.asked == 4);
    CHECK(q.admit(always) == 0);
}

TEST_CASE("a change lets in readers unless it only makes a fresh grant stale", "[read_write_lock]")
{
    using enum joinability;
    CHECK_FALSE(may_let_in(fresh, stale));
    for (auto const same : {closed, stale, fresh})
        CHECK_FALSE(may_let_in(same, same));
    CHECK(may_let_in(closed, stale));
    CHECK(may_let_in(closed, fresh));
    CHECK(may_let_in(stale, fresh));
    CHECK(may_let_in(stale, closed));
    CHECK(may_let_in(fresh, closed));
}

}  // namespace reader_joining_test
}  // namespace holdfast::engine
