//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/shard.hpp"

#include <utility>

namespace holdfast::engine {
namespace {

// The server executes nothing else during a script: it takes about 0.1 ms for so many.
constexpr std::size_t most_releases = 64;
constexpr std::size_t most_renewals = 100;

}  // namespace

shard::shard(std::shared_ptr<engine::session> s, log const& l, shard_id id)
    : id_(id),
      session_(std::move(s)),
      releases_(*session_, l, "released", most_releases),
      renewals_(*session_, l, "renewed", most_renewals)
{}

void shard::start(shard_events& e)
{
    events_ = &e;
    session_->start(*this);
    if (acknowledger_)
        acknowledger_->start();
}

void shard::stop() noexcept
{
    session_->stop();
    if (acknowledger_)
        acknowledger_->stop();
}

void shard::on_open()
{
    has_epoch_ = true;
    is_away_ = false;
    refusal_ = {};
    why_closed_.reset();
    if (acknowledger_)
        acknowledger_->on_session_open();
    events_->on_open(*this);
}

// A later failure of another cause does not end the refusal: only a connection that the server accepts does.
void shard::on_closed(closing const& why)
{
    has_epoch_ = false;
    is_away_ = true;
    why_closed_ = detail::make_error_text(why.words);
    if (why.permanent)
        refusal_ = {why.code, why_closed_};
    // Before the parts of the engine learn of it: for them each command has its outcome then.
    if (acknowledger_)
        acknowledger_->on_session_closed();
    events_->on_closed(*this, why);
}

}  // namespace holdfast::engine
