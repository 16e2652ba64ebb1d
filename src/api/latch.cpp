//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <holdfast/latch.hpp>

#include "engine/protocol/latch_scripts.hpp"
#include "operations/latch_wait.hpp"
#include "operations/lock_query.hpp"
#include "operations/single_lock.hpp"

namespace holdfast {
namespace detail {
namespace {

// A latch is no lock, but its keys, its name and its errors are described as those of one. Its protocol is not used.
single_lock::traits latch_traits(std::string_view key)
{
    return {
        .protocol = engine::mutex_protocol(false),
        .channel = core::latch_channel(key),
        .companions = {core::prefixed("holdfast_latch", key), core::prefixed("holdfast_latch_steps", key)}};
}

// A Java client may have set a count beyond that of an unsigned: the greatest one stands for it.
unsigned to_count(std::int64_t left) noexcept
{
    return static_cast<unsigned>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<unsigned>::max()));
}

class set_query final : public query<bool> {
public:
    set_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        unsigned count)
        : query(std::move(h), home, std::move(lock)), count_(std::to_string(count))
    {}

private:
    void send(engine::session& to, engine::script_form form) override
    {
        engine::set_latch(to, *this, lock(), count_, form);
    }
    bool read(engine::reply const& r) override { return r.integer == 1; }

    std::string const count_;
};

class remove_query final : public query<bool> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override { engine::remove_latch(to, *this, lock(), form); }
    bool read(engine::reply const& r) override { return r.integer == 1; }
};

class count_down_query final : public query<unsigned> {
public:
    count_down_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::shared_ptr<engine::lock_spec const> lock,
        unsigned by)
        : query(std::move(h), home, std::move(lock)), by_(std::to_string(by))
    {}

private:
    // One step, however often it is sent.
    void send(engine::session& to, engine::script_form form) override
    {
        if (step_.empty())
            step_ = engine().runtime().tokens().next({}, {}).text();
        engine::count_down_latch(to, *this, lock(), step_, by_, form);
    }
    bool is_repeatable() const override { return true; }
    unsigned read(engine::reply const& r) override { return to_count(r.integer); }

    std::string const by_;
    std::string step_;
};

class count_query final : public query<unsigned> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override { engine::read_latch(to, *this, lock(), form); }
    unsigned read(engine::reply const& r) override { return r.items.size() == 3 ? to_count(r.items[0].integer) : 0; }
};

// Completes the handler, and returns true, if the number is 0.
template <class Result>
bool refuse_zero(single_lock const& of, unsigned number, char const* option, handler_at<void(error_code, Result)>& h)
{
    if (number > 0)
        return false;
    auto const what = std::string(option) + ": must not be 0";
    auto const c = of.home();
    auto const why = c ? c->refuse(of.lock.name, what)
                       : named({errc::invalid_option, make_error_text(what)}, of.lock.name);
    complete_early<Result>(std::move(h), why, {});
    return true;
}

}  // namespace

void start_latch_set(handler_at<void(error_code, bool)> h, lock_ptr of, unsigned count)
{
    if (!refuse_zero(single_lock_behind(of), count, "count", h))
        launch_query<set_query>(single_lock_behind(of), std::move(h), count);
}

void start_count_down(handler_at<void(error_code, unsigned)> h, lock_ptr of, unsigned by)
{
    if (!refuse_zero(single_lock_behind(of), by, "by", h))
        launch_query<count_down_query>(single_lock_behind(of), std::move(h), by);
}

void start_latch_count(handler_at<void(error_code, unsigned)> h, lock_ptr of)
{
    launch_query<count_query>(single_lock_behind(of), std::move(h));
}

void start_latch_remove(handler_at<void(error_code, bool)> h, lock_ptr of)
{
    launch_query<remove_query>(single_lock_behind(of), std::move(h));
}

void start_latch_wait(handler_at<void(error_code, bool)> h, lock_ptr of, latch_wait_options options)
{
    auto const& l = single_lock_behind(of);
    auto const c = l.home();
    if (auto const ec = precondition_error(l, c))
        return complete_early<bool>(std::move(h), ec, false);
    if (options.wait && *options.wait < options.wait->zero())
        return complete_early<bool>(std::move(h), c->refuse(l.lock.name, "wait: must not be negative"), false);
    wait_for_latch(c, std::move(h), lock_of(l), options);
}

}  // namespace detail

latch::latch(client const& c, std::string_view name)
    : state_(detail::single_lock::make(c, name, nullptr, detail::latch_traits))
{}

std::string_view latch::name() const noexcept
{
    return state_->name();
}

}  // namespace holdfast
