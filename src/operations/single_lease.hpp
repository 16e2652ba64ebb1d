//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SINGLE_LEASE_HPP
#define HOLDFAST_SINGLE_LEASE_HPP

#include <memory>
#include <string>
#include <utility>

#include "client/client_state.hpp"
#include "core/pooled.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/hold/tenure.hpp"
#include "handle/completion.hpp"
#include "handle/lease_impl.hpp"

namespace holdfast::detail {

// The lease of a lock of one server. It is the tenure itself, which saves one allocation for each acquire, and it is
// the message of its own end. The engine keeps references on the strand, leases and operations do so on any thread; it
// may outlive the client, which detaches it from its grant when it stops.
class single_lease final : public core::pooled<single_lease>, public engine::tenure, public lease_impl {
public:
    using core::pooled<single_lease>::operator new;
    using core::pooled<single_lease>::operator delete;

    explicit single_lease(beginning b) : tenure(std::move(b)) {}

    lease_state state() const noexcept override { return tenure::state(); }
    bool empty() const noexcept override { return is_detached(); }
    std::chrono::steady_clock::time_point valid_until() const noexcept override;
    std::optional<std::uint64_t> fencing_token() const noexcept override;
    std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept override;
    std::optional<unsigned> number() const noexcept override;
    std::string_view name() const noexcept override;
    std::shared_ptr<engine::owner_state> owner() const noexcept override;
    unsigned hold_count() const noexcept override { return tenure::hold_count(); }
    asio::any_io_executor executor() const noexcept override;

    void extend(std::chrono::milliseconds by, handler_at<void(error_code)>) override;
    void lost(handler_at<void(error_code, loss)>) override;
    void stopping(handler_at<void(error_code, loss)>) override;
    void downgrade(handler_at<void(error_code, lease)>) override;
    void release(handler_at<void(error_code)>) override;
    void release_in(boost::intrusive_ptr<release_group>, std::size_t place, asio::any_io_executor const&) override;
    void drop() noexcept override;

    void take_up(bool taken_up) noexcept override { tenure::take_up(taken_up); }
    void raise_fence(std::uint64_t fence, handler_at<void(error_code, bool)>) override;

    // leadership::proclaim() and asked_to_yield(). Precondition: it is the lease of an election.
    void proclaim(std::string value, handler_at<void(error_code)>);
    void asked_to_yield(handler_at<void(error_code, yield_reason)>);

private:
    // The message of drop(): the lease was destroyed.
    void deliver(engine::client_engine&) override;
    void discard() noexcept override { remove_reference(); }

    void add_reference() noexcept override { intrusive_ptr_add_ref(static_cast<tenure*>(this)); }
    void remove_reference() noexcept override { intrusive_ptr_release(static_cast<tenure*>(this)); }

    // Launches an operation that waits for the end of the lease.
    template <class Operation>
    void watch(handler_at<void(error_code, loss)>);

    std::shared_ptr<client_state> client() const noexcept override;
    // Why an operation cannot reach the client; success: it can.
    error_code precondition_error(std::shared_ptr<client_state> const&) const noexcept;
};

// A contender whose tenures are leases. The engine makes tenures by it, because it must not know single_lease.
class lease_contender : public engine::contender {
public:
    using contender::contender;

    // On the strand; must not call the engine.
    virtual void acquired(lease) = 0;

private:
    engine::tenure* make_tenure(engine::tenure::beginning b) const final { return new single_lease(std::move(b)); }
    // Every tenure that is granted was made by make_tenure(), so the cast is right. The lease takes over the reference.
    void granted(boost::intrusive_ptr<engine::tenure> t) final
    {
        acquired(lease_access::make(lease_ptr(static_cast<single_lease*>(t.detach()), false)));
    }
};

}  // namespace holdfast::detail

#endif
