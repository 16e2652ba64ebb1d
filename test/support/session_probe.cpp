//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/session_probe.hpp"

#include <algorithm>

#include "redis/session.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

void sent_command::on_answer(engine::answer const& a)
{
    answered = true;
    ++times;
    outcome = a.outcome;
    why = a.why;
    sent = a.sent;
    type = a.value.type;
    integer = a.value.integer;
    text = a.value.text;
    words = a.words;
    items.clear();
    for (auto const& i : a.value.items)
        items.push_back({i.type, i.integer, std::string(i.text)});
    if (then)
        then();
}

config session_probe::with_url(std::string url)
{
    config c;
    c.url = std::move(url);
    return c;
}

session_probe::session_probe(config options, redis::name_lookup look_up)
    : context_(std::make_unique<boost::asio::io_context>(1))
{
    engine::log log([this](log_level level, std::string_view line) { lines.emplace_back(level, line); });
    engine::strand strand(context_->get_executor());
    io_ = redis::make_io(strand, options, log, std::move(look_up));
}

void session_probe::start()
{
    world().start(*this);
    session().start(*this);
}

void session_probe::stop() noexcept
{
    session().stop();
    world().stop();
}

session_probe::~session_probe()
{
    if (!context_)
        return;
    stop();
    context_->restart();
    context_->run_for(5s);
    io_ = {};
}

bool session_probe::run_until(std::function<bool()> const& holds)
{
    auto const limit = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
        context_->restart();
        context_->run_one_for(100ms);
        if (std::chrono::steady_clock::now() > limit)
            return false;
    }
    return true;
}

void session_probe::run_for(std::chrono::milliseconds time)
{
    context_->restart();
    context_->run_for(time);
}

bool session_probe::run_to_end()
{
    context_->restart();
    context_->run_for(10s);
    return context_->stopped();
}

bool session_probe::start_and_open()
{
    auto const before = opened;
    start();
    return run_until([&] { return opened > before; });
}

sent_command& session_probe::send(std::initializer_list<std::string_view> words)
{
    auto& c = commands_.emplace_back();
    session().submit(c, {words.begin(), words.size()});
    return c;
}

sent_command& session_probe::execute(std::initializer_list<std::string_view> words)
{
    auto& c = send(words);
    run_until([&] { return c.answered; });
    return c;
}

void session_probe::destroy_context()
{
    io_ = {};
    context_.reset();
}

std::size_t session_probe::count_of_lines(std::string_view part) const
{
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](auto const& l) { return l.second.find(part) != std::string::npos; }));
}

void session_probe::on_open()
{
    ++opened;
    if (when_open)
        when_open();
}

void session_probe::on_closed(engine::closing const& c)
{
    closed.push_back({c.code, std::string(c.words), c.permanent});
    if (when_closed)
        when_closed();
}

void session_probe::on_message(std::string_view channel)
{
    messages.emplace_back(channel);
    if (when_message)
        when_message();
}

void session_probe::on_turn_end()
{
    if (when_turn_ends)
        when_turn_ends();
}

void session_probe::on_alarm()
{
    ++alarms;
}

}  // namespace holdfast::test
