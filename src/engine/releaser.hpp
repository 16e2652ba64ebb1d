//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASER_HPP
#define HOLDFAST_ENGINE_RELEASER_HPP

#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/container/flat_map.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include "engine/grant.hpp"
#include "engine/joint_release.hpp"

namespace holdfast::engine {

class arbiter;
class context;

// Somebody who waits for the outcome of a release. Owned by whoever made it until it is called, once. Must not stop the
// client within the call: others who are told of the same answer come after it.
class release_waiter {
public:
    // Success, lease_lost, unavailable (the release goes on), or what the server refused it with.
    virtual void released(boost::system::error_code) = 0;

protected:
    ~release_waiter() = default;
};

// Deletes tokens: those of leases that end, and, as compensation, those of acquisitions whose outcome is unknown or
// that nobody wants any more. What was queued goes on, over reconnections, until the server answered or the key must
// have expired.
class releaser {
public:
    explicit releaser(context&);
    releaser(releaser const&) = delete;
    releaser& operator=(releaser const&) = delete;
    ~releaser();

    // Retires the token and queues its release, which leaves with those of this turn. `waiter` and `seller` may be
    // null; the arbiter `seller` is told how many heard of the release, which then leaves at once.
    void release(boost::intrusive_ptr<grant>, release_waiter* waiter, arbiter* seller);

    // What was queued in this turn leaves now; `of`: if a release of that lock is among it. Called before something is
    // asked of the lock, and at the end of the turn. Precondition: the session is open.
    void flush();
    void flush(lock_spec const& of);

    std::size_t size() const noexcept;

    // The first of an epoch: compensations leave before anything that could depend on them.
    void on_open();
    void on_closed();
    // Tells every waiter `client_stopped` and forgets all.
    void stop();

    // ---- of a joint_release
    session& link() const noexcept;
    std::unique_ptr<joint_release> take(joint_release&) noexcept;
    // From here on each goes alone, until the next epoch.
    void on_joint_refused(std::string_view words);

private:
    class order;

    bool may_join(lock_spec const&) const noexcept;
    void gather(order&);
    void send(std::unique_ptr<joint_release>&);

    context& context_;
    boost::intrusive::list<order, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>> orders_;
    boost::container::flat_map<script const*, std::unique_ptr<joint_release>> gathering_;
    boost::intrusive::list<joint_release> under_way_;
    bool is_joint_refused_ = false;
};

}  // namespace holdfast::engine

#endif
