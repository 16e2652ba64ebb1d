//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The spans of waits and holds, as an exporter receives them: each exactly once.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch_test_macros.hpp>
#include <opentelemetry/exporters/memory/in_memory_span_exporter.h>
#include <opentelemetry/sdk/trace/simple_processor.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>

#include <holdfast/opentelemetry.hpp>

#include "simulation/red_arena.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using span_ptr = opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span>;
using trace_id = opentelemetry::trace::TraceId;
using opentelemetry::trace::StatusCode;

// A span that was ended and exported.
struct seen {
    explicit seen(opentelemetry::sdk::trace::SpanData const& d)
        : name(d.GetName()),
          trace(d.GetTraceId()),
          id(d.GetSpanId()),
          parent(d.GetParentSpanId()),
          status(d.GetStatus()),
          length(d.GetDuration())
    {
        for (auto const& [key, value] : d.GetAttributes())
            attributes += ' ' + key + '=' + text_of(value);
        for (auto const& l : d.GetLinks())
            links.push_back(l.GetSpanContext().span_id());
        for (auto const& e : d.GetEvents())
            events.push_back(e.GetName());
    }

    bool has(std::string const& attribute) const
    {
        return (attributes + ' ').find(' ' + attribute + ' ') != std::string::npos;
    }

    std::string name;
    std::string attributes;
    trace_id trace;
    opentelemetry::trace::SpanId id;
    opentelemetry::trace::SpanId parent;
    StatusCode status;
    std::chrono::nanoseconds length;
    std::vector<opentelemetry::trace::SpanId> links;
    std::vector<std::string> events;

private:
    static std::string text_of(opentelemetry::sdk::common::OwnedAttributeValue const& v)
    {
        if (auto const* const s = opentelemetry::nostd::get_if<std::string>(&v))
            return *s;
        if (auto const* const n = opentelemetry::nostd::get_if<std::uint64_t>(&v))
            return std::to_string(*n);
        return "?";
    }
};

// A client with an opentelemetry_tracer, and the exporter that receives its spans.
struct traced : arena {
    traced()
    {
        auto exporter = std::make_unique<opentelemetry::exporter::memory::InMemorySpanExporter>();
        data = exporter->GetData();
        provider = std::make_shared<opentelemetry::sdk::trace::TracerProvider>(
            std::make_unique<opentelemetry::sdk::trace::SimpleSpanProcessor>(std::move(exporter)));
        tracer = provider->GetTracer("test");
        auto c = quick();
        c.observer = std::make_shared<opentelemetry_tracer>(
            opentelemetry_options{.tracer = tracer, .lock_name = [](auto name) { return std::string(name); }});
        mine = &client("A", c);
        elsewhere = &client("A", quick(), "s2");
        other = &client("B");
    }

    // The spans that ended since the last call, in the order of their ends.
    std::vector<seen> spans()
    {
        std::vector<seen> all;
        for (auto const& each : data->GetSpans())
            all.emplace_back(*each);
        return all;
    }
    // Their names and outcomes.
    std::vector<std::string> outcomes()
    {
        std::vector<std::string> all;
        for (auto const& s : spans()) {
            auto const at = s.attributes.find("holdfast.outcome=");
            auto const outcome = s.attributes.substr(at + 17);
            all.push_back(s.name + ": " + outcome.substr(0, outcome.find(' ')));
        }
        return all;
    }

    mutex lock(std::string_view name = "m") const { return mutex(*mine, name); }

    std::shared_ptr<opentelemetry::exporter::memory::InMemorySpanData> data;
    std::shared_ptr<opentelemetry::trace::TracerProvider> provider;
    opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer;
    holdfast::client* mine = nullptr;
    holdfast::client* elsewhere = nullptr;
    holdfast::client* other = nullptr;
};

using list = std::vector<std::string>;

TEST_CASE_METHOD(traced, "an acquire and its lease are two spans, with a link between them", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        fair_lock const fair(*mine, "f", mine->make_owner("worker"));
        {
            auto const held = co_await fair.acquire();
            co_await sleep(10ms);
            CHECK(held.valid());
        }
        co_await sleep(10ms);
    });
    auto const all = spans();
    REQUIRE(all.size() == 2);
    auto const& [wait, hold] = std::tie(all[0], all[1]);
    CHECK(wait.name == "holdfast wait");
    CHECK(wait.has("holdfast.outcome=acquired"));
    CHECK(hold.name == "holdfast hold");
    CHECK(hold.has("holdfast.outcome=released"));
    for (auto const& s : all) {
        CHECK(s.has("holdfast.kind=fair"));
        CHECK(s.has("holdfast.label=worker"));
        CHECK(s.has("holdfast.lock=f"));
        CHECK(s.status == StatusCode::kUnset);
        CHECK_FALSE(s.parent.IsValid());
    }
    CHECK(wait.links.empty());
    CHECK(hold.links == std::vector{wait.id});
}

TEST_CASE_METHOD(traced, "the parent is the span that was current at the initiation", "[opentelemetry]")
{
    auto const parent = tracer->StartSpan("request");
    auto const later = tracer->StartSpan("of another coroutine");
    run([&]() -> awaitable<void> {
        co_await mine->ready();
        lease held;
        auto operation = lock().acquire(asio::deferred);
        {
            opentelemetry::trace::Scope const scope(parent);
            std::move(operation)([&](error_code, lease l) { held = std::move(l); });
        }
        opentelemetry::trace::Scope const scope(later);
        co_await sleep(10ms);
        held = lease();
        lock("without a parent").acquire([](error_code, lease const&) {});
        co_await sleep(10ms);
    });
    auto const all = spans();
    REQUIRE(all.size() == 4);
    for (auto const& s : {all[0], all[1]}) {
        CHECK(s.parent == parent->GetContext().span_id());
        CHECK(s.trace == parent->GetContext().trace_id());
    }
    for (auto const& s : {all[2], all[3]})
        CHECK(s.parent == later->GetContext().span_id());
}

TEST_CASE_METHOD(
    traced, "an acquire without a current span has no parent, whatever is current on the strand", "[opentelemetry]")
{
    auto const later = tracer->StartSpan("of another coroutine");
    run([&]() -> awaitable<void> {
        co_await mine->ready();
        lock().acquire([](error_code, lease const&) {});
        opentelemetry::trace::Scope const scope(later);
        co_await sleep(10ms);
    });
    auto const all = spans();
    REQUIRE(all.size() == 2);
    CHECK_FALSE(all[0].parent.IsValid());
    CHECK_FALSE(all[1].parent.IsValid());
}

TEST_CASE_METHOD(traced, "with_parent makes a span current during the initiation only", "[opentelemetry]")
{
    auto const parent = tracer->StartSpan("request");
    run([&]() -> awaitable<void> {
        auto const held = co_await lock().acquire(with_parent(parent));
        CHECK_FALSE(opentelemetry::trace::Tracer::GetCurrentSpan()->GetContext().IsValid());
        error_code ec;
        auto const other = co_await lock("n").acquire(with_parent(parent, redirect(ec)));
        CHECK(other.valid());
    });
    auto const all = spans();
    CHECK(all.size() >= 2);
    for (auto const& s : all)
        CHECK(s.parent == parent->GetContext().span_id());
}

TEST_CASE_METHOD(traced, "a wait without a lease is one span with its outcome", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        error_code ec;
        co_await mine->ready();
        auto held = co_await mutex(*other, "m").acquire();
        co_await lock().try_acquire();
        CHECK(outcomes() == list{"holdfast wait: busy"});

        asio::cancellation_signal signal;
        world().at(now() + 50ms, [&] {
            asio::post(at("A").get_executor(), [&] { signal.emit(asio::cancellation_type::total); });
        });
        co_await lock().acquire(asio::bind_cancellation_slot(signal.slot(), redirect(ec)));
        CHECK(ec == asio::error::operation_aborted);
        co_await sleep(10ms);
        CHECK(outcomes() == list{"holdfast wait: cancelled"});

        server().execute({"RPUSH", "list", "1"});
        co_await lock("list").acquire(redirect(ec));
        auto all = spans();
        REQUIRE(all.size() == 1);
        CHECK(all[0].has("holdfast.outcome=failed"));
        CHECK(all[0].status == StatusCode::kError);

        server().pause();
        co_await lock().try_acquire({.wait = 100ms}, redirect(ec));
        server().resume();
        all = spans();
        REQUIRE(all.size() == 1);
        CHECK(all[0].has("holdfast.outcome=unavailable"));
        CHECK(all[0].status == StatusCode::kError);
    });
}

TEST_CASE_METHOD(traced, "a hold that is lost is one span, with an event when it was at risk", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        auto held = co_await lock().acquire();
        spans();
        server().pause();
        co_await sleep(30s);
        server().resume();
        CHECK(held.state() == lease_state::lost);
        held = lease();
        co_await sleep(10ms);
        auto const all = spans();
        REQUIRE(all.size() == 1);
        CHECK(all[0].has("holdfast.outcome=lost"));
        CHECK(all[0].has("holdfast.loss=expired"));
        CHECK(all[0].status == StatusCode::kError);
        CHECK(all[0].events == list{"at risk"});
    });
}

TEST_CASE_METHOD(traced, "a hold has the fencing token of its lease", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        std::optional<std::uint64_t> token;
        {
            auto const held = co_await mutex(*mine, "m", {.fencing = true}).acquire();
            token = held.fencing_token();
        }
        co_await sleep(10ms);
        REQUIRE(token);
        CHECK(spans().back().has("holdfast.fencing_token=" + std::to_string(*token)));
    });
}

TEST_CASE_METHOD(traced, "a composite lock has the spans of one lock, and none for its members", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        multi_lock const both(lock("x"), lock("y"));
        red_lock const red(std::vector<holdfast::client const*>{mine, elsewhere}, "r", trusting);
        co_await mine->ready();
        co_await elsewhere->ready();
        co_await both.acquire();
        co_await sleep(10ms);
        auto all = spans();
        REQUIRE(all.size() == 2);
        CHECK(all[0].has("holdfast.kind=multi"));
        CHECK(all[1].has("holdfast.outcome=released"));
        co_await red.acquire();
        co_await sleep(10ms);
        CHECK(outcomes() == list{"holdfast wait: acquired", "holdfast hold: released"});

        auto held = co_await both.acquire();
        co_await sleep(10ms);
        spans();
        server().execute({"DEL", "y"});
        co_await sleep(10s);
        CHECK(held.state() == lease_state::lost);
        CHECK(spans().empty());  // it ends when the program releases what is left of it
        held = lease();
        co_await sleep(10ms);
    });
    auto const all = spans();
    REQUIRE(all.size() == 1);
    CHECK(all[0].has("holdfast.outcome=lost"));
}

TEST_CASE_METHOD(traced, "a downgrade ends the hold of the write and gives a hold of the read", "[opentelemetry]")
{
    auto const parent = tracer->StartSpan("request");
    run([&]() -> awaitable<void> {
        auto write = co_await read_write_lock(*mine, "w").write().acquire(with_parent(parent));
        spans();
        auto read = co_await write.downgrade();
        co_await sleep(10ms);
        auto const first = spans();
        REQUIRE(first.size() == 1);
        CHECK(first[0].has("holdfast.kind=write"));
        co_await read.release();
        co_await sleep(10ms);
        auto const second = spans();
        REQUIRE(second.size() == 1);
        CHECK(second[0].has("holdfast.kind=read"));
        CHECK(second[0].parent == parent->GetContext().span_id());
    });
}

TEST_CASE_METHOD(traced, "every span ends when the client stops", "[opentelemetry]")
{
    run([this]() -> awaitable<void> {
        auto const held = co_await lock().acquire();
        lock().acquire([](error_code, lease const&) {});
        co_await sleep(10ms);
        spans();
        mine->stop();
        lock().acquire([](error_code, lease const&) {});
        co_await sleep(10ms);
        auto all = outcomes();
        std::ranges::sort(all);
        CHECK(all == list{"holdfast hold: lost", "holdfast wait: failed", "holdfast wait: failed"});
    });
    CHECK(spans().empty());
}

// In real time on memory://, so it waits for an event, not for a duration.
TEST_CASE_METHOD(traced, "a span that no event ends is abandoned with its lease", "[opentelemetry]")
{
    auto context = std::make_unique<asio::io_context>(1);
    auto const observer = std::make_shared<opentelemetry_tracer>(opentelemetry_options{.tracer = tracer});
    holdfast::client c(*context, {.url = "memory://", .observer = observer, .log = [](log_level, std::string_view) {}});
    c.run(asio::detached);
    lease held;
    auto const parent = tracer->StartSpan("request");
    auto keep = [&](error_code, lease l) { held = std::move(l); };
    multi_lock(mutex(c, "x"), mutex(c, "y")).acquire(with_parent(parent, asio::cancel_after(60s, keep)));
    auto const limit = std::chrono::steady_clock::now() + 60s;
    while (held.empty() && std::chrono::steady_clock::now() < limit)
        context->run_one_for(10ms);
    REQUIRE(held.valid());
    while (data->GetSpans().empty() && std::chrono::steady_clock::now() < limit)
        context->run_one_for(10ms);
    context.reset();
    held = lease();
    auto const all = spans();
    REQUIRE(all.size() == 1);
    CHECK(all[0].has("holdfast.outcome=abandoned"));
    CHECK(all[0].parent == parent->GetContext().span_id());
}

}  // namespace
}  // namespace holdfast::test
