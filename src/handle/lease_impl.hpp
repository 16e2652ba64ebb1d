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
// Functions with the name of a function of `lease` do what its header says; const ones are thread-safe.
//
// It is reference-counted: the lease and each operation that was made from it have a reference, so that an operation
// may be launched after the lease was destroyed. It completes with an error then. A lease_impl may also outlive its
// client and the execution context.
class lease_impl {
public:
    virtual lease_state state() const noexcept = 0;
    virtual bool empty() const noexcept = 0;
    virtual std::chrono::steady_clock::time_point valid_until() const noexcept = 0;
    virtual std::optional<std::uint64_t> fencing_token() const noexcept = 0;
    virtual std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept = 0;
    virtual std::optional<unsigned> number() const noexcept = 0;
    virtual std::string_view name() const noexcept = 0;
    virtual std::shared_ptr<engine::owner_state> owner() const noexcept = 0;
    virtual unsigned hold_count() const noexcept = 0;
    // The client of a lease of one server; null: it has been destroyed, or the lease is of several locks.
    virtual std::shared_ptr<client_state> client() const noexcept = 0;
    // The client's executor; empty if the client has been destroyed, or its execution context has ended.
    virtual asio::any_io_executor executor() const noexcept = 0;

    virtual void extend(std::chrono::milliseconds by, handler_at<void(error_code)>) = 0;
    virtual void lost(handler_at<void(error_code, loss)>) = 0;
    // As lost(), and with loss::client_stopped when a shutdown of its client asks bodies to end.
    virtual void stopping(handler_at<void(error_code, loss)>) = 0;
    virtual void downgrade(handler_at<void(error_code, lease)>) = 0;

    // These three take over the reference of the lease, which is empty from then on. If release() or
    // release_in() throws, because there is no memory, the lease keeps its reference, and its destructor calls
    // drop(), which does not allocate.
    virtual void release(handler_at<void(error_code)>) = 0;
    // Releases it as the member at `place` of a group, whose handler runs on `executor`. A lease of one server
    // needs no handler of its own for that.
    virtual void release_in(
        boost::intrusive_ptr<release_group>, std::size_t place, asio::any_io_executor const& executor) = 0;
    virtual void drop() noexcept = 0;

    // True: a handler has received the lease. False: it passes the lease on to another handler. The watchdog renews
    // only leases that a handler has received. Thread-safe.
    virtual void take_up(bool taken_up) noexcept = 0;
    // For the fencing token of a red_lock. Raises the counter of a fenced mutex to `fence` if this grant still exists
    // on the server. Completes with true if it exists.
    virtual void raise_fence(std::uint64_t fence, handler_at<void(error_code, bool)>) = 0;

protected:
    ~lease_impl() = default;  // not virtual: the counters of the two implementations destroy them

private:
    friend void intrusive_ptr_add_ref(lease_impl*) noexcept;
    friend void intrusive_ptr_release(lease_impl*) noexcept;

    virtual void add_reference() noexcept = 0;
    virtual void remove_reference() noexcept = 0;
};

}  // namespace holdfast::detail

#endif
