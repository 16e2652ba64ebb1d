//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/detail/lock_base.hpp>

#include "core/bounds.hpp"
#include "core/recycled.hpp"
#include "engine/command.hpp"
#include "lock_query.hpp"
#include "lock_state.hpp"
#include "operation.hpp"
#include "query.hpp"

namespace holdfast::detail {
namespace {

using lease_handler = handler_at<void(error_code, lease)>;

constexpr auto shortest_lease = std::chrono::milliseconds(100);

class acquire_operation final : public core::recycled<acquire_operation>, public operation<engine::contender, lease> {
public:
    acquire_operation(lease_handler h, std::shared_ptr<client_state> const& home, wish w)
        : operation(std::move(h), home, std::move(w))
    {}

    // When it was cancelled meanwhile, the lease dies here, and that releases what came too late.
    void granted(boost::intrusive_ptr<engine::tenure> t) override { finish({}, lease_access::make(std::move(t))); }
    void busy() override { finish({}, lease()); }
    void failed(error_code ec) override { finish(ec, lease()); }

private:
    void begin(engine::context& c) override { c.join(*this); }
    void cancel(engine::context& c) override
    {
        if (is_queued())
            c.leave(*this, asio::error::operation_aborted);
        else {
            c.call_off(*this);
            complete(asio::error::operation_aborted, lease());
        }
    }

    void finish(error_code ec, lease l)
    {
        if (!is_complete())
            complete(ec, std::move(l));
        retire();
    }
};

class is_locked_query final : public query<bool> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form) override { lock().form->ask_locked(to, *this, lock()); }
    bool read(engine::reply const& r) override { return lock().form->says_locked(r); }
};

class force_release_query final : public query<bool> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        lock().form->force_release(to, *this, lock(), form);
    }
    bool read(engine::reply const& r) override { return r.integer != 0; }
};

class holders_query final : public query<std::vector<holder>> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form form) override
    {
        lock().form->ask_holders(to, *this, lock(), form);
    }
    std::vector<holder> read(engine::reply const& r) override
    {
        std::vector<holder> all;
        for (auto const& h : lock().form->read_holders(r))
            all.push_back(to_holder(h));
        return all;
    }
};

}  // namespace

error_code obstacle(lock_state const& lock, std::shared_ptr<client_state> const& c)
{
    if (!c || !c->is_alive())
        return errc::client_stopped;
    if (lock.has_valid_name)
        return {};
    error_code const ec = errc::invalid_name;
    c->remember(ec, in_quotes(lock.lock.name) + ": " + ec.message());
    return ec;
}

engine::terms to_terms(acquire_request const& r, config const& defaults) noexcept
{
    return {
        .lease = r.lease.value_or(defaults.lease),
        .max_hold = r.max_hold.value_or(defaults.max_hold),
        .renewed = !r.lease || r.renew,
        .priority = static_cast<std::uint8_t>(r.priority),
        .is_part = r.is_part};
}

holder to_holder(engine::holding const& h)
{
    constexpr std::string_view writer_mark = ":write";
    auto const first = h.id.find(':');
    auto const second = first == h.id.npos ? h.id.npos : h.id.find(':', first + 1);
    auto label = second == h.id.npos ? std::string_view() : h.id.substr(second);
    if (h.is_writer && label.starts_with(writer_mark))
        label.remove_prefix(writer_mark.size());
    label.remove_prefix(label.empty() ? 0 : 1);
    return {
        .id = std::string(h.id.substr(0, second)),
        .label = std::string(label),
        .writer = h.is_writer,
        .remaining = h.remaining};
}

char const* complaint(acquire_request const& r) noexcept
{
    using namespace std::chrono_literals;
    if (r.lease && *r.lease < shortest_lease)
        return "lease: must be at least 100 ms";
    if (r.max_hold && *r.max_hold < 0ms)
        return "max_hold: must not be negative";
    if (r.wait && *r.wait < 0ms)
        return "wait: must not be negative";
    if (r.priority < 1 || r.priority > 10)
        return "priority: must be 1 to 10";
    return nullptr;
}

std::string in_quotes(std::string_view name)
{
    constexpr std::size_t enough = 64;
    return "lock \"" + std::string(name.substr(0, enough)) + (name.size() > enough ? "...\"" : "\"");
}

// ---- a lock of one server

void lock_state::acquire(lease_handler h, acquire_request const& request) const
{
    auto const c = home();
    if (auto const ec = obstacle(*this, c))
        return complete_early<lease>(std::move(h), ec, {});
    if (auto const* what = complaint(request)) {
        c->remember(errc::invalid_option, in_quotes(lock.name) + ": " + what);
        return complete_early<lease>(std::move(h), errc::invalid_option, {});
    }
    acquire_operation::wish wish{lock_of(*this), owner, to_terms(request, c->options()), request.wait};
    acquire_operation::launch(
        boost::intrusive_ptr<acquire_operation>(new acquire_operation(std::move(h), c, std::move(wish))), *c);
}

void lock_state::ask_locked(handler_at<void(error_code, bool)> h) const
{
    ask<is_locked_query>(*this, std::move(h));
}

void lock_state::force_release(handler_at<void(error_code, bool)> h) const
{
    ask<force_release_query>(*this, std::move(h));
}

void lock_state::ask_holders(handler_at<void(error_code, std::vector<holder>)> h) const
{
    ask<holders_query>(*this, std::move(h));
}

// ---- what handles launch

asio::any_io_executor lock_launch::get_executor() const noexcept
{
    auto const c = of->home();
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

void acquire_launch::start(lease_handler h) &&
{
    request.lease = core::bounded(request.lease);
    request.max_hold = core::bounded(request.max_hold);
    request.wait = core::bounded(request.wait);
    of->acquire(std::move(h), request);
}

void is_locked_launch::start(handler_at<void(error_code, bool)> h) &&
{
    of->ask_locked(std::move(h));
}

void force_release_launch::start(handler_at<void(error_code, bool)> h) &&
{
    of->force_release(std::move(h));
}

void holders_launch::start(handler_at<void(error_code, std::vector<holder>)> h) &&
{
    of->ask_holders(std::move(h));
}

template <class A, class T>
std::string_view lock_base<A, T>::name() const noexcept
{
    return state_->name();
}

template <class A, class T>
std::shared_ptr<lock_state const> lock_base<A, T>::state() const noexcept
{
    return std::static_pointer_cast<lock_state const>(state_);
}

template class lock_base<acquire_options, try_options>;
template class lock_base<fair_acquire_options, fair_try_options>;

}  // namespace holdfast::detail
