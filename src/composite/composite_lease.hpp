//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_LEASE_HPP
#define HOLDFAST_COMPOSITE_LEASE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "composite/ask.hpp"
#include "composite/composite_account.hpp"
#include "composite/composite_lock.hpp"
#include "handle/lease_impl.hpp"

namespace holdfast::detail {

// The leases of several locks, held as one lease, which is valid while a quorum of them is: all members of a
// multi_lock, a majority of those of a red_lock. Further members may join until it is released or lost.
// Thread-safe: members join and end on the strands of several clients. So valid() locks a mutex, which is contended
// only while a member joins.
class composite_lease final : public boost::intrusive_ref_counter<composite_lease, boost::thread_safe_counter>,
                              public lease_impl {
    using counter = boost::intrusive_ref_counter<composite_lease, boost::thread_safe_counter>;

public:
    struct parts {
        std::shared_ptr<composite_lock const> of;
        std::vector<lease> members;
        std::unique_ptr<composite_hold> hold;  // null: it is not counted
        std::optional<std::uint64_t> fence = {};
        std::shared_ptr<collector> more = {};  // calls join() for late members, until refuse()
    };

    explicit composite_lease(parts) noexcept;

    lease_state state() const noexcept override;
    bool empty() const noexcept override { return false; }  // a lease that was released has no lease_impl
    std::chrono::steady_clock::time_point valid_until() const noexcept override;
    std::optional<std::uint64_t> fencing_token() const noexcept override { return fence_; }
    std::optional<std::uint64_t> fencing_token(std::string_view member) const noexcept override;
    std::optional<unsigned> number() const noexcept override { return std::nullopt; }
    std::string_view name() const noexcept override;
    std::shared_ptr<engine::owner_state> owner() const noexcept override { return nullptr; }
    unsigned hold_count() const noexcept override { return 1; }
    std::shared_ptr<client_state> client() const noexcept override { return nullptr; }
    asio::any_io_executor executor() const noexcept override;

    void extend(std::chrono::milliseconds, handler_at<void(error_code)>) override;
    void lost(handler_at<void(error_code, loss)>) override;
    void stopping(handler_at<void(error_code, loss)>) override;
    void downgrade(handler_at<void(error_code, lease)>) override;
    void release(handler_at<void(error_code)>) override;
    void release_in(boost::intrusive_ptr<release_group>, std::size_t place, asio::any_io_executor const&) override;
    void drop() noexcept override;

    void take_up(bool) noexcept override;
    void raise_fence(std::uint64_t, handler_at<void(error_code, bool)>) override;

    // Adds a lease that was granted after the others, in place of a member that was lost, if that is given. If the
    // composite lease is lost or released already, it is released. Must not be called while the caller's mutex is locked:
    // it may destroy a lease.
    void join(lease, lease_impl const* in_place_of = nullptr);

private:
    using loss_outcome = std::tuple<described_error, loss>;
    using self_ptr = boost::intrusive_ptr<composite_lease>;

    void add_reference() noexcept override { intrusive_ptr_add_ref(static_cast<counter*>(this)); }
    void remove_reference() noexcept override { intrusive_ptr_release(static_cast<counter*>(this)); }

    // Starts the operation of a member that is awaited.
    using member_watch = void(handler_at<void(error_code, loss)>, lease_ptr);

    static task<loss_outcome> await_loss(self_ptr, member_watch*);
    void watch(handler_at<void(error_code, loss)>, member_watch*);
    described_error refuse(std::string const& what) const;
    lease_state classify_members() const noexcept;
    bool is_released() const noexcept;
    std::size_t joined() const noexcept;
    std::vector<lease> take() noexcept;
    template <class Signature, class... More>
    std::vector<question<initiation<Signature, lease_ptr, More...>>> ask_members(
        void (*start)(handler_at<Signature>, lease_ptr, More...), std::type_identity_t<More>... more);

    std::shared_ptr<composite_lock const> const lock_;
    std::optional<std::uint64_t> const fence_;

    mutable std::mutex mutex_;    // protects the members below
    std::vector<lease> members_;  // none: released
    std::unique_ptr<composite_hold> hold_;
    std::shared_ptr<collector> more_;
    bool is_taken_up_ = false;
    std::size_t joined_ = 0;  // members that have joined
};

}  // namespace holdfast::detail

#endif
