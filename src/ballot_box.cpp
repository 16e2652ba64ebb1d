//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "ballot_box.hpp"

#include <algorithm>
#include <utility>

#include "bundle.hpp"

namespace holdfast::detail {

ballot_box::ballot_box(std::shared_ptr<red_state const> of, core::instant began, std::vector<lease> kept)
    : lock_(std::move(of)), began_(began), votes_(lock_->members().size()), servers_(votes_.size())
{
    kept.resize(votes_.size());
    for (std::size_t i = 0; i < votes_.size(); ++i)
        if (kept[i].empty())
            asked_.push_back(i);
        else
            votes_[i] = weigh(i, {{}, std::move(kept[i])});
    left_ = asked_.size();
}

lockables ballot_box::asked() const
{
    lockables all;
    for (auto const node : asked_)
        all.push_back(lock_->members()[node]);
    return all;
}

void ballot_box::begin(boost::intrusive_ptr<attempts> all)
{
    std::scoped_lock const guard(mutex_);
    under_way_ = std::move(all);
}

bool ballot_box::take(std::size_t place, attempt_end end)
{
    auto const node = asked_[place];
    auto v = weigh(node, std::move(end));
    {
        std::scoped_lock const guard(mutex_);
        if (--left_ == 0)
            under_way_.reset();
        if (phase_ == phase::collecting) {
            votes_[node] = std::move(v);
            return is_decided();
        }
    }
    if (!v.held.empty())
        take_late(node, std::move(v));
    return false;
}

// The server's run is looked up behind the grant, so that it is that of the process that granted, or of a later one.
vote ballot_box::weigh(std::size_t node, attempt_end end) const
{
    vote v;
    v.note(std::move(end));
    v.server = server_of(*lock_->members()[node]);
    if (!v.held.empty())
        v.check(*lock_, began_);
    return v;
}

// Won, or held by somebody else, or neither, whatever comes; and whether a majority answered is known, too.
bool ballot_box::is_decided() const
{
    auto const majority = static_cast<std::ptrdiff_t>(lock_->quorum());
    auto const granted = std::ranges::count(votes_, vote::kind::granted, &vote::said);
    auto const busy = std::ranges::count(votes_, vote::kind::busy, &vote::said);
    auto const open = std::ranges::count(votes_, false, &vote::has_ended);
    if (granted >= majority || busy >= majority)
        return true;
    bool const is_contested = granted + busy >= majority;
    bool const may_be_contested = granted + busy + open >= majority;
    return std::max(granted, busy) + open < majority && is_contested == may_be_contested;
}

// A late grant must count like the others.
void ballot_box::take_late(std::size_t node, vote late)
{
    std::shared_ptr<bundle> won;
    {
        std::scoped_lock const guard(mutex_);
        if (late.said != vote::kind::granted || shares_a_server(node, late))
            return;
        servers_[node] = late.server;
        won = won_.lock();
        if (phase_ == phase::opened)
            late_.push_back(std::move(late.held));
    }
    if (won)
        won->join(std::move(late.held));
}

// Two members on one server would count twice.
bool ballot_box::shares_a_server(std::size_t node, vote const& late) const
{
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (i != node && late.server && servers_[i] && servers_[i]->is_same_server(*late.server))
            return true;
    return false;
}

std::vector<vote> ballot_box::open()
{
    std::scoped_lock const guard(mutex_);
    phase_ = phase::opened;
    for (std::size_t i = 0; i < votes_.size(); ++i) {
        if (!votes_[i].has_ended)
            votes_[i].server = server_of(*lock_->members()[i]);
        servers_[i] = votes_[i].server;
    }
    return std::move(votes_);
}

void ballot_box::hand_on_to(std::shared_ptr<bundle> const& won)
{
    std::vector<lease> waiting;
    {
        std::scoped_lock const guard(mutex_);
        phase_ = phase::handing_on;
        won_ = won;
        waiting.swap(late_);
    }
    for (auto& l : waiting)
        won->join(std::move(l));
}

void ballot_box::refuse() noexcept
{
    std::vector<vote> votes;
    std::vector<lease> waiting;
    boost::intrusive_ptr<attempts> under_way;
    {
        std::scoped_lock const guard(mutex_);
        phase_ = phase::refusing;
        won_.reset();
        votes.swap(votes_);
        waiting.swap(late_);
        under_way.swap(under_way_);
    }
    if (under_way)
        under_way->call_off();
}

}  // namespace holdfast::detail
