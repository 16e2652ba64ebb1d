//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_LOCK_HPP
#define HOLDFAST_COMPOSITE_LOCK_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/client_state.hpp"
#include "composite/try_each.hpp"
#include "handle/lock_impl.hpp"

// composite: several locks as one: attempts on all of them in parallel, the composite lease, and the algorithm of
// multi_lock. It may include core, engine, handle, client and operations.
namespace holdfast::detail {

// Starts a query of a member.
template <class Result>
using member_query = void(handler_at<void(error_code, Result)>, lock_ptr);

// Several locks as one lock. It is held while a quorum of them is. Its members may be composites themselves.
class composite_lock : public lock_impl {
public:
    // An acquire with a valid request.
    struct start {
        std::shared_ptr<client_state> clock;  // whose clock and timers are used; never null
        acquire_request request;
        std::shared_ptr<void> context;  // of the acquire, from the observer of that client
    };

    lock_list const& members() const noexcept { return members_; }
    std::size_t quorum() const noexcept { return quorum_; }
    std::string const& validation_error() const noexcept { return validation_error_; }

    // True: its lease has one fencing token. False: each member of the lease has a token of its own.
    virtual bool has_one_fence() const noexcept = 0;
    // The first error of its members.
    std::string extension_error(std::chrono::milliseconds by) const override;

    std::string_view name() const noexcept final { return name_; }
    lock_list const* parts() const noexcept final { return &members_; }
    // The client of the first member that is not stopped; else the first whose execution context exists; else null.
    std::shared_ptr<client_state> home() const noexcept final;
    void acquire(handler_at<void(error_code, lease)>, acquire_request const&) const final;
    void query_locked(handler_at<void(error_code, bool)>) const final;
    void force_release(handler_at<void(error_code, bool)>) const final;
    void query_holders(handler_at<void(error_code, std::vector<holder>)>) const final;

    // Records why an operation is invalid as the last failure of that client; returns errc::invalid_option.
    described_error refuse(client_state&, std::string const& what) const;

protected:
    // With a validation error, each operation completes with errc::invalid_option: constructors of handles do not throw
    // for members that contradict each other.
    composite_lock(std::string name, lock_list members, std::size_t quorum, std::string validation_error);

    // Why an acquire with these options is invalid; empty: it is valid.
    virtual std::string request_error(acquire_request const&) const;
    virtual void begin_acquire(handler_at<void(error_code, lease)>, start) const = 0;

private:
    template <class Result, class Merge>
    void query(handler_at<void(error_code, Result)>, member_query<Result>*, Merge) const;
    described_error precondition_error(std::shared_ptr<client_state> const& home) const;

    std::string const name_;
    lock_list const members_;
    std::size_t const quorum_;
    std::string const validation_error_;
};

using acquire_initiation = initiation<void(error_code, lease), lock_ptr, acquire_request>;

// Acquires a lock of any kind in a coroutine of the library. A function, because GCC 12 calls the destructor of an
// aggregate twice if a co_await expression makes it.
template <class Token>
auto acquire(std::shared_ptr<lock_impl const> const& l, acquire_request const& request, Token&& token)
{
    return initiate(start_acquire, std::forward<Token>(token), l, request);
}

}  // namespace holdfast::detail

#endif
