//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ROUND_REPLIES_HPP
#define HOLDFAST_ROUND_REPLIES_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "composite/client_batch.hpp"
#include "composite/try_each.hpp"
#include "redlock/node_reply.hpp"
#include "redlock/red_lock_impl.hpp"

namespace holdfast::detail {

class composite_lease;
class lease_repair;

// By node: whether an attempt of this acquire has not ended. No second one is made then: a client whose execution context
// stands still would keep them all, and an owner that is granted the first one late would enter again with the second.
using attempts_under_way = std::vector<std::atomic<bool>>;

// Collects the replies of one round. The round is decided as soon as the missing replies cannot change its result. A
// grant that arrives later joins the lease if the round was won, and is released otherwise. Thread-safe: replies arrive
// on the strands of the members' clients.
//
// While the mutex is locked, no lease is destroyed and no other object is called that may call this one again:
// that would be a deadlock.
//
// | phase       | event            | next        | a grant that arrives then             |
// |-------------|------------------|-------------|---------------------------------------|
// | collecting  | take_replies()   | counted     | is one of the replies                 |
// | counted     | hand_over_to()   | handed_over | is kept until the result is known     |
// | handed_over |                  |             | joins the lease                       |
// | any         | refuse()         | refused_all |                                       |
// | refused_all |                  |             | is released                           |
class round_replies final : public collector, public std::enable_shared_from_this<round_replies> {
public:
    using member_list = std::vector<lease_ptr>;  // by node; null: it has had none

    // `kept`: leases that the caller holds already, by node; or empty.
    round_replies(
        std::shared_ptr<red_lock_impl const>,
        core::instant began,
        std::vector<lease> kept,
        std::shared_ptr<attempts_under_way>);
    ~round_replies() override;

    // The locks of the servers on which the caller holds nothing yet, and on which no earlier attempt is under way.
    lock_list targets() const;

    void begin(boost::intrusive_ptr<attempts>) override;
    bool take(std::size_t place, attempt_end) override;

    // The replies so far, by node. Without a reply, a node has the identity of the server to which its client is
    // connected. Called once.
    std::vector<node_reply> take_replies();
    // The round was won: late grants join this lease. `members`: of the lease. `repair`: is started; null: none.
    void hand_over_to(boost::intrusive_ptr<composite_lease>, member_list members, boost::intrusive_ptr<lease_repair>);

    // ---- further attempts, after the round was won
    // The lease; null: it was released.
    boost::intrusive_ptr<composite_lease> won() const;
    // The last member of each node. It may be lost.
    member_list members() const;
    // False: an attempt on that node is under way. True: the caller makes one, or calls give_up().
    bool may_ask_again(std::size_t node) { return !(*open_)[node].exchange(true); }
    void give_up(std::size_t node) { (*open_)[node] = false; }
    // An attempt is about to be sent. False: the lease was released, and no attempt is made.
    bool begin_again(std::size_t node, boost::intrusive_ptr<attempts>);
    // Its result. `began`: before it was sent. A grant that counts joins the lease in place of the member that was lost.
    void take_again(std::size_t node, core::instant began, attempt_end);

    // From now on every grant is released, and attempts that are under way are cancelled. Idempotent.
    void refuse() noexcept override;

private:
    enum class phase : std::uint8_t { collecting, counted, handed_over, refused_all };

    bool record(std::size_t node, attempt_end);
    node_reply evaluate(std::size_t node, core::instant began, attempt_end) const;
    bool is_decided() const;
    void take_late(std::size_t node, node_reply);
    bool shares_a_server(std::size_t node, node_reply const&) const;

    std::shared_ptr<red_lock_impl const> const lock_;
    core::instant const began_;
    std::vector<std::size_t> wanted_nodes_;  // by place in the attempts
    std::shared_ptr<attempts_under_way> const open_;

    mutable std::mutex mutex_;  // protects the members below
    phase phase_ = phase::collecting;
    std::vector<node_reply> replies_;                              // until they are taken
    std::vector<std::optional<engine::server_identity>> servers_;  // after that, by node
    std::vector<lease> late_;                                      // while the result is not known
    member_list members_;                                          // by node
    std::vector<boost::intrusive_ptr<attempts>> again_;            // further attempts under way, by node
    boost::intrusive_ptr<lease_repair> repair_;
    boost::intrusive_ptr<composite_lease> won_;  // the lease owns this object, too; refuse() ends the cycle
    boost::intrusive_ptr<attempts> under_way_;
    std::size_t left_ = 0;  // attempts that have not ended
};

}  // namespace holdfast::detail

#endif
