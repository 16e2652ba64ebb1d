//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LEASE_IMPL_HPP
#define HOLDFAST_LEASE_IMPL_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/lease.hpp>

#include "handle/release_group.hpp"

namespace holdfast::detail {

// The implementation of a lease: of a lock of one server (single_lease), or of several locks (composite_lease).
// Functions with the name of a function of `lease` do what its header says.
class lease_impl {
public:
    virtual lease_state state() const noexcept = 0;
    virtual bool empty() const noexcept = 0;
    virtual std::chrono::steady_clock::time_point valid_until() const noexcept = 0;
    virtual std::optional<std::uint64_t> fencing_token() const noexcept = 0;
    virtual std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept = 0;
    virtual std::string_view name() const noexcept = 0;
    virtual std::shared_ptr<engine::owner_state> owner() const noexcept = 0;
    virtual unsigned hold_count() const noexcept = 0;
    // The client's executor; empty if the client has been destroyed.
    virtual asio::any_io_executor executor() const noexcept = 0;

    virtual void extend(std::chrono::milliseconds by, handler_at<void(error_code)>) = 0;
    virtual void lost(handler_at<void(error_code, loss)>) = 0;
    virtual void downgrade(handler_at<void(error_code, lease)>) = 0;

    // drop() takes over the reference of the lease, which is empty from then on. So do the others, unless they throw.
    virtual void release(handler_at<void(error_code)>) = 0;
    // Releases it as the member at `place` of a group, whose handler runs on `executor`.
    virtual void release_in(
        boost::intrusive_ptr<release_group>, std::size_t place, asio::any_io_executor const& executor) = 0;
    virtual void drop() noexcept = 0;

    // A handler has received the lease, or passes it on. The watchdog renews only leases that a handler has received.
    virtual void take_up(bool taken_up) noexcept = 0;
    // Raises the counter of a fenced mutex to `fence` if this grant still stands on the server. Completes with whether
    // it stands.
    virtual void raise_fence(std::uint64_t fence, handler_at<void(error_code, bool)>) = 0;

protected:
    ~lease_impl() = default;

private:
    friend void intrusive_ptr_add_ref(lease_impl*) noexcept;
    friend void intrusive_ptr_release(lease_impl*) noexcept;

    virtual void add_reference() noexcept = 0;
    virtual void remove_reference() noexcept = 0;
};

}  // namespace holdfast::detail

#endif
