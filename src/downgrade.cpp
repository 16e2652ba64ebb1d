//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <utility>

#include <boost/asio/system_executor.hpp>

#include <holdfast/lease.hpp>

#include "bundle.hpp"
#include "engine/contender.hpp"
#include "engine/context.hpp"
#include "operation.hpp"

namespace holdfast::detail {
namespace {

using lease_handler = handler_at<void(error_code, lease)>;

// First a contender for the read, which is granted under the write; then somebody who waits for the write's release.
class downgrade_operation final : public operation<engine::contender, lease>, public engine::release_waiter {
public:
    downgrade_operation(lease_handler h, std::shared_ptr<client_state> const& home, wish w)
        : operation(std::move(h), home, std::move(w)), home_(home)
    {}

    // The engine is not called back from here.
    void granted(boost::intrusive_ptr<engine::tenure> t) override
    {
        read_ = lease_access::make(std::move(t));
        if (auto const client = home_.lock(); client && !is_complete())
            client->send(release_write_);
        else
            finish(errc::client_stopped);
    }
    void busy() override { failed(errc::unavailable); }
    void failed(error_code ec) override { finish(is_write_lost() ? errc::lease_lost : ec); }

    void released(error_code ec) override { finish(ec == errc::lease_lost ? ec : error_code()); }

private:
    struct release_write final : engine::letter {
        explicit release_write(downgrade_operation& o) noexcept : of(o) {}
        void deliver(engine::context& c) override { of.let_go(c); }
        void discard() noexcept override { of.finish(errc::client_stopped); }

        downgrade_operation& of;
    };

    void begin(engine::context& c) override
    {
        if (auto const ec = c.check_held(*under()))
            return finish(ec);
        ask_for(under()->conditions());
        c.join(*this);
    }

    void cancel(engine::context& c) override
    {
        if (is_queued())
            c.leave(*this, asio::error::operation_aborted);
    }

    void let_go(engine::context& c)
    {
        if (is_write_lost())
            return finish(errc::lease_lost);
        c.pass_on(*under(), *this);
    }

    bool is_write_lost() const noexcept { return !under()->held_grant || !under()->is_valid(); }

    void finish(error_code ec)
    {
        auto l = std::move(read_);
        complete(ec, ec ? lease() : std::move(l));
        retire();
    }

    std::weak_ptr<client_state> home_;
    lease read_;
    release_write release_write_{*this};
};

}  // namespace

asio::any_io_executor downgrade_launch::get_executor() const noexcept
{
    auto const c = all ? all->lock().home() : of ? std::static_pointer_cast<client_state>(of->home().lock()) : nullptr;
    auto const e = c ? c->executor() : asio::any_io_executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

void downgrade_launch::start(lease_handler h) &&
{
    if (all) {
        if (auto const c = all->lock().home())
            c->remember(errc::invalid_option, "downgrade: " + in_quotes(all->lock().name()) + " is several locks");
        return complete_early<lease>(std::move(h), errc::invalid_option, {});
    }
    if (!of || of->is_passed_on())
        return complete_early<lease>(std::move(h), errc::empty_lease, {});
    auto const c = std::static_pointer_cast<client_state>(of->home().lock());
    if (!c || !c->is_alive())
        return complete_early<lease>(std::move(h), errc::client_stopped, {});
    auto const& lock = of->lock();
    if (!lock.rules || !lock.rules->reader) {
        c->remember(errc::invalid_option, "downgrade: \"" + std::string(lock.name) + "\" is not held for writing");
        return complete_early<lease>(std::move(h), errc::invalid_option, {});
    }
    engine::contender::wish wish{lock.rules->reader, of->owner(), {}, c->options().command_timeout, of.get()};
    downgrade_operation::launch(
        boost::intrusive_ptr<downgrade_operation>(new downgrade_operation(std::move(h), c, std::move(wish))), *c);
}

}  // namespace holdfast::detail
