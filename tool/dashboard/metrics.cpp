//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/dashboard/metrics.hpp"

#include <chrono>
#include <string_view>

#include "tool/dashboard/json.hpp"

namespace holdfast::cli::dashboard {
namespace {

class exposition {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help)
    {
        name_ = std::string("holdfast_dashboard_").append(name);
        text_.append("# HELP ").append(name_).append(" ").append(help).append("\n");
        text_.append("# TYPE ").append(name_).append(" ").append(type).append("\n");
    }
    void add(std::uint64_t value, std::string_view label = {}, std::string_view of = {})
    {
        text_.append(name_);
        if (!label.empty())
            text_.append("{").append(label).append("=\"").append(of).append("\"}");
        text_.append(" ").append(std::to_string(value)).append("\n");
    }
    void add(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value)
    {
        begin(name, type, help);
        add(value);
    }
    void add_seconds(std::chrono::milliseconds value)
    {
        auto const fraction = std::to_string(1000 + value.count() % 1000).substr(1);
        text_.append(name_).append(" ").append(std::to_string(value.count() / 1000));
        text_.append(".").append(fraction).append("\n");
    }
    std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

void add_locks(exposition& to, board const& all)
{
    auto const sum = all.sum();
    to.begin("locks", "gauge", "Locks that are held, by what the keys tell of their kind.");
    for (std::size_t i = 1; i < sum.locks.size(); ++i)
        to.add(sum.locks[i], "kind", to_word(static_cast<detail::recorded_kind>(i)));
    to.add("holders", "gauge", "Holders of all locks.", sum.holders);
    to.add("queued", "gauge", "Waiters in the queues of fair locks.", sum.queued);
    to.add("subscribers", "gauge", "Subscribers of the channels of unlock messages.", sum.subscribers);
    to.begin(
        "changes_total", "counter", "Changes that the survey saw; a grant between two looks at a lock is missing.");
    for (std::size_t i = 0; i < event_kinds; ++i)
        to.add(all.count_of(static_cast<event::kind>(i)), "change", to_word(static_cast<event::kind>(i)));
}

void add_survey(exposition& to, survey_state const& s)
{
    to.add("up", "gauge", "1: the last look at the server succeeded.", s.is_connected ? 1 : 0);
    to.add(
        "survey_complete",
        "gauge",
        "1: all keys were looked at once; until then the numbers are those of a part of the locks.",
        s.is_complete ? 1 : 0);
    // A time of 0 would be that of the fastest pass.
    if (s.is_complete) {
        to.begin("pass_seconds", "gauge", "Time of a pass over all keys.");
        to.add_seconds(s.pass);
    }
    to.add("survey_steps_total", "counter", "Scripts that the dashboard has sent.", s.steps);
    to.add("survey_failures_total", "counter", "Looks at the server that failed.", s.failures);
}

void add_http(exposition& to, http_counts const& h)
{
    to.add("http_requests_total", "counter", "Requests that were read.", h.requests);
    to.add("http_refused_total", "counter", "Requests and connections that were refused.", h.refused);
    to.add("http_connections", "gauge", "Open connections.", h.connections);
    to.add("event_streams", "gauge", "Open streams of events.", h.streams);
}

}  // namespace

std::string metrics_document(board const& all, http_counts const& http)
{
    exposition text;
    add_locks(text, all);
    add_survey(text, all.survey());
    add_http(text, http);
    return text.take();
}

}  // namespace holdfast::cli::dashboard
