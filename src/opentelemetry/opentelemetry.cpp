//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <initializer_list>
#include <optional>
#include <utility>

#include <boost/asio/error.hpp>
#include <opentelemetry/context/runtime_context.h>
#include <opentelemetry/trace/context.h>
#include <opentelemetry/trace/provider.h>

#include <holdfast/opentelemetry.hpp>

namespace holdfast {
namespace {

namespace common = opentelemetry::common;
namespace trace = opentelemetry::trace;

using attributes = std::initializer_list<std::pair<opentelemetry::nostd::string_view, common::AttributeValue>>;
using links = std::initializer_list<std::pair<trace::SpanContext, attributes>>;
using opentelemetry::context::Context;
using opentelemetry::nostd::shared_ptr;
using opentelemetry::nostd::string_view;

string_view view(std::string_view s) noexcept
{
    return {s.data(), s.size()};
}

// The two clocks of OpenTelemetry, read at one moment.
struct moment {
    std::chrono::system_clock::time_point system = std::chrono::system_clock::now();
    std::chrono::steady_clock::time_point steady = std::chrono::steady_clock::now();

    moment before(std::chrono::milliseconds d) const noexcept { return {system - d, steady - d}; }
};

void end(shared_ptr<trace::Span>& span, char const* outcome)
{
    span->SetAttribute("holdfast.outcome", outcome);
    span->End();
    span = {};
}

// Without a current span the spans have no parent. OpenTelemetry must be told so: else it would take the span that is
// current on the thread that makes them, which is the client's.
Context current_parent()
{
    auto const current = opentelemetry::context::RuntimeContext::GetCurrent();
    return trace::GetSpan(current)->GetContext().IsValid() ? current : Context(trace::kIsRootSpanKey, true);
}

opentelemetry_options with_tracer(opentelemetry_options o)
{
    if (!o.tracer)
        o.tracer = trace::Provider::GetTracerProvider()->GetTracer("holdfast", HOLDFAST_VERSION_STRING);
    return o;
}

// A cancellation is an outcome that the program wanted.
char const* outcome_of(error_code ec) noexcept
{
    if (ec == boost::asio::error::operation_aborted)
        return "cancelled";
    return ec == errc::unavailable || ec == errc::no_quorum ? "unavailable" : "failed";
}

}  // namespace

// The spans of one acquire, and what is known of its caller. It is the context of the acquire: so it is used by the
// initiating thread first, then by the client's strand, and it is destroyed when neither the acquire nor its lease
// exists.
class opentelemetry_tracer::spans {
public:
    spans() : parent_(current_parent()), initiated_(moment()) {}
    ~spans()
    {
        for (auto* const span : {&wait_, &hold_})
            if (*span)
                end(*span, "abandoned");
    }
    spans(spans const&) = delete;
    spans& operator=(spans const&) = delete;

    static spans* of(lock_event const& e) noexcept { return static_cast<spans*>(e.context); }

    // A candidate that was unhealthy for a while waits again: only the first wait begins at the initiation.
    void begin_wait(opentelemetry_options const& o, lock_event const& e)
    {
        auto const from = std::exchange(initiated_, std::nullopt).value_or(moment());
        wait_ = start(o, e, "holdfast wait", trace::SpanContext::GetInvalid(), from);
        waited_ = wait_->GetContext();
    }
    void end_wait(char const* outcome)
    {
        if (wait_)
            end(wait_, outcome);
    }
    void fail_wait(error_code ec)
    {
        if (!wait_)
            return;
        auto const* const outcome = outcome_of(ec);
        if (ec != boost::asio::error::operation_aborted) {
            auto const message = ec.message();
            wait_->SetAttribute("error.type", string_view(outcome));
            wait_->SetStatus(trace::StatusCode::kError, view(message));
        }
        end(wait_, outcome);
    }

    void begin_hold(opentelemetry_options const& o, lock_event const& e, moment from)
    {
        kind_ = e.kind;
        hold_ = start(o, e, "holdfast hold", waited_, from);
        if (e.fencing_token)
            hold_->SetAttribute("holdfast.fencing_token", *e.fencing_token);
    }
    void add_risk()
    {
        if (hold_)
            hold_->AddEvent("at risk");
    }
    void end_hold(opentelemetry_options const& o, lock_event const& e)
    {
        require_hold(o, e);
        e.code ? lose() : end(hold_, "released");
    }
    void lose_hold(opentelemetry_options const& o, lock_event const& e)
    {
        require_hold(o, e);
        hold_->SetAttribute("holdfast.loss", view(to_string(e.reason)));
        lose();
    }

private:
    // No event tells of the begin of the read that a downgrade gives: its span is made at its end.
    void require_hold(opentelemetry_options const& o, lock_event const& e)
    {
        if (!hold_ || kind_ != e.kind)
            begin_hold(o, e, moment().before(e.held));
    }
    void lose()
    {
        hold_->SetStatus(trace::StatusCode::kError, "the lease was lost");
        end(hold_, "lost");
    }

    shared_ptr<trace::Span> start(
        opentelemetry_options const& o,
        lock_event const& e,
        string_view name,
        trace::SpanContext const& link,
        moment const& from) const
    {
        trace::StartSpanOptions options;
        options.parent = parent_;
        options.start_system_time = common::SystemTimestamp(from.system);
        options.start_steady_time = common::SteadyTimestamp(from.steady);
        // The sampler sees these attributes, and none that is set later.
        attributes const kind{{"holdfast.kind", view(to_string(e.kind))}};
        auto const span = link.IsValid() ? o.tracer->StartSpan(name, kind, links{{link, {}}}, options)
                                         : o.tracer->StartSpan(name, kind, options);
        if (!e.label.empty())
            span->SetAttribute("holdfast.label", view(e.label));
        if (o.lock_name)
            span->SetAttribute("holdfast.lock", view(o.lock_name(e.name)));
        return span;
    }

    Context const parent_;
    std::optional<moment> initiated_;
    shared_ptr<trace::Span> wait_;
    shared_ptr<trace::Span> hold_;
    trace::SpanContext waited_ = trace::SpanContext::GetInvalid();
    lock_kind kind_{};  // of hold_
};

opentelemetry_tracer::opentelemetry_tracer(opentelemetry_options o) : options_(with_tracer(std::move(o))) {}

std::shared_ptr<void> opentelemetry_tracer::on_initiated(lock_event const&) noexcept
{
    return std::make_shared<spans>();
}

void opentelemetry_tracer::on_waiting(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->begin_wait(options_, e);
}

void opentelemetry_tracer::on_acquired(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e)) {
        s->end_wait("acquired");
        s->begin_hold(options_, e, moment());
    }
}

void opentelemetry_tracer::on_busy(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->end_wait("busy");
}

void opentelemetry_tracer::on_failed(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->fail_wait(e.code);
}

void opentelemetry_tracer::on_released(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->end_hold(options_, e);
}

void opentelemetry_tracer::on_at_risk(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->add_risk();
}

void opentelemetry_tracer::on_lost(lock_event const& e) noexcept
{
    if (auto* const s = spans::of(e))
        s->lose_hold(options_, e);
}

}  // namespace holdfast
