//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <utility>

#include "engine/client_engine.hpp"
#include "handle/lock_impl.hpp"
#include "operations/operation.hpp"
#include "operations/single_lease.hpp"

namespace holdfast::detail {
namespace {

using lease_handler = handler_at<void(error_code, lease)>;

// Acts as a contender for the read, which is granted under the write, and then as the waiter for the write's release.
class downgrade_operation final : public operation<lease_contender, lease>, public engine::release_waiter {
public:
    downgrade_operation(lease_handler h, std::shared_ptr<client_state> const& home, wish w)
        : operation(std::move(h), home, std::move(w)), home_(home)
    {}

    // The engine may not be called from here, so the release of the write follows as a message.
    void acquired(lease read) override
    {
        read_ = std::move(read);
        if (auto const client = home_.lock(); client && !is_complete())
            client->send(release_write_);
        else
            finish(errc::client_stopped);
    }
    void busy() override { failed(errc::unavailable); }
    void failed(error_code ec) override { finish(is_write_lost() ? errc::lease_lost : ec); }

    void released(error_code ec) override { finish(ec == errc::lease_lost ? ec : error_code()); }

private:
    struct release_write final : engine::message {
        explicit release_write(downgrade_operation& o) noexcept : of(o) {}
        void deliver(engine::client_engine& c) override { of.let_go(c); }
        void discard() noexcept override { of.finish(errc::client_stopped); }

        downgrade_operation& of;
    };

    void begin(engine::client_engine& c) override
    {
        if (auto const ec = under()->check_held())
            return finish(ec);
        ask_for(under()->conditions());
        c.join(*this);
    }

    void cancel(engine::client_engine&) override { leave(asio::error::operation_aborted); }

    void let_go(engine::client_engine& c)
    {
        if (is_write_lost())
            return finish(errc::lease_lost);
        c.detach(*under(), *this);
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

void single_lease::downgrade(lease_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<lease>(std::move(h), ec, {});
    if (!lock().rules || !lock().rules->reader) {
        c->remember(errc::invalid_option, "downgrade: " + in_quotes(lock().name) + " is not held for writing");
        return complete_early<lease>(std::move(h), errc::invalid_option, {});
    }
    engine::contender::wish wish{lock().rules->reader, tenure::owner(), {}, c->options().command_timeout, this};
    downgrade_operation::launch(
        boost::intrusive_ptr<downgrade_operation>(new downgrade_operation(std::move(h), c, std::move(wish))), *c);
}

}  // namespace holdfast::detail
