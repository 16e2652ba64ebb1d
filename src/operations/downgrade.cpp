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

// lease::downgrade(). Acts as a contender for the read, which is granted while the write is held, and then as the
// waiter for the release of the write. In this order no other writer can acquire the lock in between.
class downgrade_operation final : public operation<lease_contender, lease>, public engine::release_waiter {
public:
    downgrade_operation(lease_handler h, std::shared_ptr<client_state> const& home, wish w)
        : operation(std::move(h), home, std::move(w)), home_(home)
    {}

    // The engine calls it and must not be called from inside, so the release of the write follows as a message. If the
    // client has been destroyed meanwhile, end() destroys the lease of the read.
    void acquired(lease read) override
    {
        read_ = std::move(read);
        if (auto const client = home_.lock(); client && !is_complete())
            client->send(release_write_);
        else
            end(errc::client_stopped);
    }
    // While the write is held, no other contender holds the lock. So the caller must not take this for busy: the read
    // was not granted within command_timeout.
    void busy() override { failed(errc::unavailable); }
    // If the write was lost, that is the cause of the error, and the caller must know it.
    void failed(described_error ec) override
    {
        end(is_write_lost() ? described_error(errc::lease_lost) : std::move(ec));
    }

    // The read is held. If the outcome of the release is unknown, the client repeats it in the
    // background, so the downgrade is complete. If the write was lost before its release, another writer
    // may have held the lock in between.
    void released(described_error ec) override { end(ec.code == errc::lease_lost ? std::move(ec) : described_error()); }

private:
    // Owned by the operation, so that it needs no allocation after the read was granted. No engine list refers to the
    // operation while the message is in the mailbox, and it retires only in end().
    struct release_write final : engine::message {
        explicit release_write(downgrade_operation& o) noexcept : of(o) {}
        void deliver(engine::client_engine& c) override { of.let_go(c); }
        void discard() noexcept override { of.end(errc::client_stopped); }

        downgrade_operation& of;
    };

    void begin(engine::client_engine& c) override
    {
        if (auto const ec = under()->check_held())
            return end(ec);
        set_terms(under()->conditions());
        c.join(*this);
    }

    // Only a waiting contender has an arbiter to leave. Once the read is granted, the downgrade is completed: otherwise
    // the owner would hold the write and the read.
    void cancel(engine::client_engine&) override { leave(asio::error::operation_aborted); }

    // detach() makes the lease of the write empty: the operations that are launched on it from then on
    // complete with an error.
    void let_go(engine::client_engine& c)
    {
        if (is_write_lost())
            return end(errc::lease_lost);
        c.detach(*under(), *this);
    }

    bool is_write_lost() const noexcept { return !under()->held_grant || !under()->is_valid(); }

    // With an error the lease of the read is destroyed here, which releases the read.
    std::string_view subject() const noexcept override { return lock().name; }

    void end(described_error ec)
    {
        auto l = std::move(read_);
        bool const is_failed = ec.code.failed();
        finish(std::move(ec), is_failed ? lease() : std::move(l));
    }

    std::weak_ptr<client_state> home_;
    lease read_;  // held while the write is released
    release_write release_write_{*this};
};

}  // namespace

void single_lease::downgrade(lease_handler h)
{
    auto const c = client();
    if (auto const ec = precondition_error(c))
        return complete_early<lease>(std::move(h), named(ec, lock().name), {});
    if (!lock().rules || !lock().rules->reader)
        return complete_early<lease>(std::move(h), c->refuse(lock().name, "downgrade: it is not held for writing"), {});
    // The contender waits for command_timeout, as every operation that does not wait for another holder: the server
    // grants a read under the own write at once.
    engine::contender::wish wish{lock().rules->reader, tenure::owner(), {}, c->options().command_timeout, this};
    launch<downgrade_operation>(c, std::move(h), std::move(wish));
}

}  // namespace holdfast::detail
