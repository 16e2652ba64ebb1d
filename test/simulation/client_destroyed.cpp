//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Another thread destroys a client while a composite lock is being acquired: the acquire completes as client_stopped.
// In place of that thread, the tests use a lock whose client is destroyed at the n-th call of home(), and a second
// execution context.

#include <boost/asio/io_context.hpp>
#include <catch2/catch_test_macros.hpp>

#include "composite/client_batch.hpp"
#include "composite/multi_lock_impl.hpp"
#include "operations/single_lock.hpp"
#include "redlock/red_lock_impl.hpp"
#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;

struct counted_attempts final : detail::attempts {
    void end(std::size_t, detail::described_error ec, lease) override
    {
        ++ends;
        last = ec.code;
    }
    void call_off() noexcept override {}

    int ends = 0;
    error_code last;
};

TEST_CASE("attempts that start after their client was destroyed complete as client_stopped", "[multi_lock][lifetimes]")
{
    arena a;
    auto& c = a.client();
    auto const one = std::static_pointer_cast<detail::single_lock const>(detail::lock_access::impl_of(mutex(c, "m")));
    boost::intrusive_ptr<counted_attempts> const ends(new counted_attempts);
    boost::intrusive_ptr<detail::client_batch> const all(new detail::client_batch(one->home(), true));
    for (std::size_t i = 0; i < 3; ++i)
        all->add(ends, i, {.lock = detail::lock_of(*one), .owner = {}, .terms = {}, .wait = core::duration::zero()});
    a.destroy(c);
    a.run([&]() -> awaitable<void> { co_await a.sleep(1s); });
    REQUIRE_FALSE(one->home());
    all->start();
    CHECK(ends->ends == 3);
    CHECK(ends->last == errc::client_stopped);
}

// home() returns no client from the n-th call on.
struct vanishing_lock final : detail::lock_impl {
    vanishing_lock(std::shared_ptr<detail::client_state> c, int n) : client(std::move(c)), calls(n) {}

    void accept(detail::lock_visitor& v) const override { v.visit(any_red_lock); }
    lock_kind kind() const noexcept override { return lock_kind::red; }
    std::string_view name() const noexcept override { return "vanishing"; }
    std::shared_ptr<detail::client_state> home() const noexcept override { return calls-- > 0 ? client : nullptr; }
    void acquire(detail::handler_at<void(error_code, lease)> h, detail::acquire_request const&) const override
    {
        detail::complete_early<lease>(std::move(h), errc::client_stopped, {});
    }
    void query_locked(detail::handler_at<void(error_code, bool)>) const override {}
    void force_release(detail::handler_at<void(error_code, bool)>) const override {}
    void query_holders(detail::handler_at<void(error_code, std::vector<holder>)>) const override {}

    std::shared_ptr<detail::client_state> client;
    mutable int calls;
    detail::red_lock_impl any_red_lock{"", {}, "", {}};
};

struct any_handle : detail::lock_base<acquire_options, try_options> {
    explicit any_handle(std::shared_ptr<detail::lock_impl const> l) : lock_base(std::move(l)) {}
};

TEST_CASE(
    "a multi_lock completes as client_stopped whenever its client is destroyed during the acquire",
    "[multi_lock][lifetimes]")
{
    for (int calls = 0; calls < 12; ++calls) {
        arena a;
        auto const state = detail::client_access::state_of(a.client()).shared_from_this();
        auto const lock = [&] {
            detail::lock_list members{std::make_shared<vanishing_lock>(state, calls)};
            return any_handle(std::make_shared<detail::multi_lock_impl>("vanishing", std::move(members), ""));
        };
        auto const first = lock();
        auto const second = lock();
        a.run([&]() -> awaitable<void> {
            error_code ec;
            CAPTURE(calls);
            co_await first.try_acquire({.wait = 10ms}, redirect(ec));
            CHECK(ec == errc::client_stopped);
            co_await second.try_acquire({.lease = 1ms}, redirect(ec));
            bool const either = ec == errc::client_stopped || ec == errc::invalid_option;
            CHECK(either);
        });
    }
}

// The acquire completes in the context `here`; the client of one member runs in `elsewhere`.
TEST_CASE(
    "an acquire completes as client_stopped when the execution context of a member's client ends",
    "[multi_lock][lifetimes][memory]")
{
    for (bool const started : {false, true}) {
        CAPTURE(started);
        asio::io_context here;
        auto elsewhere = std::make_unique<asio::io_context>();
        config cfg;
        cfg.url = "memory://";
        client near(here, cfg);
        client far(*elsewhere, cfg);
        near.run(asio::detached);
        far.run(asio::detached);
        multi_lock const both(mutex(near, "a"), mutex(far, "b"));
        int ends = 0;
        error_code ec;
        both.acquire(asio::bind_executor(here, [&](error_code e, lease) {
            ++ends;
            ec = e;
            here.stop();
        }));
        if (started)
            elsewhere->poll_one();
        elsewhere.reset();
        here.run_for(10s);
        CHECK(ends == 1);
        CHECK(ec == errc::client_stopped);
    }
}

}  // namespace
}  // namespace holdfast::test
