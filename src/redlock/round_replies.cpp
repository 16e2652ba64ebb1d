//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redlock/round_replies.hpp"

#include <algorithm>
#include <utility>

#include "composite/composite_lease.hpp"
#include "redlock/lease_repair.hpp"

namespace holdfast::detail {

round_replies::round_replies(
    std::shared_ptr<red_lock_impl const> of,
    core::instant began,
    std::vector<lease> kept,
    std::shared_ptr<attempts_under_way> open)
    : lock_(std::move(of)),
      began_(began),
      open_(std::move(open)),
      replies_(lock_->members().size()),
      servers_(replies_.size()),
      members_(replies_.size())
{
    kept.resize(replies_.size());
    for (std::size_t i = 0; i < replies_.size(); ++i)
        if (!kept[i].empty())
            replies_[i] = evaluate(i, began_, {{}, std::move(kept[i])});
        else if (!(*open_)[i])
            wanted_nodes_.push_back(i);
    left_ = wanted_nodes_.size();
}

round_replies::~round_replies() = default;  // here, where lease_repair is complete

// In the order of wanted_nodes_: take() finds the node of a result by its place.
lock_list round_replies::targets() const
{
    lock_list all;
    for (auto const node : wanted_nodes_)
        all.push_back(lock_->members()[node]);
    return all;
}

void round_replies::begin(boost::intrusive_ptr<attempts> all)
{
    for (auto const node : wanted_nodes_)
        (*open_)[node] = true;
    std::scoped_lock const guard(mutex_);
    under_way_ = std::move(all);
}

// The attempt is under way until a lease that is not kept has sent its release.
bool round_replies::take(std::size_t place, attempt_end end)
{
    auto const node = wanted_nodes_[place];
    bool const is_enough = record(node, std::move(end));
    (*open_)[node] = false;
    return is_enough;
}

bool round_replies::record(std::size_t node, attempt_end end)
{
    auto v = evaluate(node, began_, std::move(end));
    {
        std::scoped_lock const guard(mutex_);
        if (--left_ == 0)
            under_way_.reset();  // ends the cycle: the attempts own this object
        if (phase_ == phase::collecting) {
            replies_[node] = std::move(v);
            return is_decided();
        }
    }
    // The round is decided already. A lease that take_late() does not keep is destroyed when it
    // returns, without the mutex.
    if (!v.held.empty())
        take_late(node, std::move(v));
    return false;
}

// The identity of the server is read after the grant, so it is that of the process that granted, or of a later one.
// Read before the grant, it could be that of an earlier process, and a restarted server would count.
node_reply round_replies::evaluate(std::size_t node, core::instant began, attempt_end end) const
{
    node_reply v;
    v.record(std::move(end));
    v.server = server_of(*lock_->nodes()[node]);
    if (!v.held.empty())
        v.check(*lock_, began);
    return v;
}

// The missing replies can change neither whether the round is won or busy, nor whether a majority replied: on these
// depends how the acquire continues, or with which error it ends. Precondition: mutex_ is locked.
bool round_replies::is_decided() const
{
    auto const majority = static_cast<std::ptrdiff_t>(lock_->quorum());
    auto const granted = std::ranges::count(replies_, node_reply::kind::granted, &node_reply::outcome);
    auto const busy = std::ranges::count(replies_, node_reply::kind::busy, &node_reply::outcome);
    auto const open = std::ranges::count(replies_, false, &node_reply::has_ended);
    if (granted >= majority || busy >= majority)
        return true;
    bool const is_contested = granted + busy >= majority;
    bool const may_be_contested = granted + busy + open >= majority;
    return std::max(granted, busy) + open < majority && is_contested == may_be_contested;
}

// A late grant must fulfil the same conditions as the others: a server that restarted meanwhile, or is a member
// already, does not make the lease safer.
void round_replies::take_late(std::size_t node, node_reply late)
{
    boost::intrusive_ptr<composite_lease> won;
    lease_ptr before;
    {
        std::scoped_lock const guard(mutex_);
        if (late.outcome != node_reply::kind::granted || shares_a_server(node, late))
            return;
        servers_[node] = late.server;
        won = won_;
        before = std::exchange(members_[node], lease_access::impl_of(late.held));
        if (phase_ == phase::counted)
            late_.push_back(std::move(late.held));
    }
    if (won)
        won->join(std::move(late.held), before.get());
}

// Two members on one server would count twice, and fail together.
bool round_replies::shares_a_server(std::size_t node, node_reply const& late) const
{
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (i != node && is_same_server(servers_[i], late.server))
            return true;
    return false;
}

// Ends the phase in which replies are stored. From here on a grant is late, even if the round is not counted yet: the
// vector belongs to the caller.
std::vector<node_reply> round_replies::take_replies()
{
    auto const nodes = lock_->nodes();
    std::scoped_lock const guard(mutex_);
    phase_ = phase::counted;
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        if (!replies_[i].has_ended)
            replies_[i].server = server_of(*nodes[i]);
        servers_[i] = replies_[i].server;
    }
    return std::move(replies_);
}

// After the phase has changed, further grants join directly. join() is called without the mutex: it may destroy a
// lease, and a lease that ends calls refuse().
void round_replies::hand_over_to(
    boost::intrusive_ptr<composite_lease> won, member_list members, boost::intrusive_ptr<lease_repair> repair)
{
    std::vector<lease> waiting;
    {
        std::scoped_lock const guard(mutex_);
        phase_ = phase::handed_over;
        won_ = won;
        repair_ = repair;
        waiting.swap(late_);
        for (std::size_t i = 0; i < members.size(); ++i)
            if (members[i])
                members_[i] = std::move(members[i]);
    }
    for (auto& l : waiting)
        won->join(std::move(l));
    if (repair)
        repair->start();
}

// ---- further attempts

boost::intrusive_ptr<composite_lease> round_replies::won() const
{
    std::scoped_lock const guard(mutex_);
    return won_;
}

round_replies::member_list round_replies::members() const
{
    std::scoped_lock const guard(mutex_);
    return members_;
}

bool round_replies::begin_again(std::size_t node, boost::intrusive_ptr<attempts> one)
{
    std::scoped_lock const guard(mutex_);
    if (phase_ != phase::handed_over)
        return false;
    again_.resize(members_.size());
    again_[node] = std::move(one);
    return true;
}

// As record() after the round was decided.
void round_replies::take_again(std::size_t node, core::instant began, attempt_end end)
{
    boost::intrusive_ptr<attempts> over;
    {
        std::scoped_lock const guard(mutex_);
        if (!again_.empty())
            over.swap(again_[node]);
    }
    if (auto v = evaluate(node, began, std::move(end)); !v.held.empty())
        take_late(node, std::move(v));
    give_up(node);
}

// Called at the end of a round that was not won, or of the lease. All leases, and the reference to the composite lease,
// move out of the mutex and are destroyed after it is unlocked.
void round_replies::refuse() noexcept
{
    std::vector<node_reply> replies;
    std::vector<lease> waiting;
    boost::intrusive_ptr<attempts> under_way;
    std::vector<boost::intrusive_ptr<attempts>> again;
    boost::intrusive_ptr<composite_lease> won;
    boost::intrusive_ptr<lease_repair> repair;
    {
        std::scoped_lock const guard(mutex_);
        phase_ = phase::refused_all;
        won.swap(won_);
        again.swap(again_);
        repair.swap(repair_);
        replies.swap(replies_);
        waiting.swap(late_);
        under_way.swap(under_way_);
    }
    if (under_way)
        under_way->call_off();
    for (auto const& a : again)
        if (a)
            a->call_off();
    if (repair)
        repair->stop();
}

}  // namespace holdfast::detail
