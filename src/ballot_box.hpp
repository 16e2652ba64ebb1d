//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BALLOT_BOX_HPP
#define HOLDFAST_BALLOT_BOX_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "party.hpp"
#include "red_state.hpp"
#include "try_each.hpp"
#include "vote.hpp"

namespace holdfast::detail {

class bundle;

// Where the votes of one round are collected. It is decided as soon as those that are still out cannot change it; a grant
// that comes after it was opened is late: it joins the lease that was won, or is given back. Any thread.
//
// No lease ends, and nobody else is called, while the mutex is locked: either may come back here.
class ballot_box final : public collector, public std::enable_shared_from_this<ballot_box> {
public:
    // `kept`: leases that are held already, by node; or none.
    ballot_box(std::shared_ptr<red_state const>, core::instant began, std::vector<lease> kept);

    // The servers that nothing is held on yet.
    lockables asked() const;

    void begin(boost::intrusive_ptr<attempts>) override;
    bool take(std::size_t place, attempt_end) override;

    // What came until now, by node, with what was known of the others' servers before.
    std::vector<vote> open();
    // The round was won: late grants join that.
    void hand_on_to(std::shared_ptr<bundle> const&);
    // Nothing is wanted any more: what is under way is called off.
    void refuse() noexcept override;

private:
    enum class phase : std::uint8_t { collecting, opened, handing_on, refusing };

    vote weigh(std::size_t node, attempt_end) const;
    bool is_decided() const;
    void take_late(std::size_t node, vote);
    bool shares_a_server(std::size_t node, vote const&) const;

    std::shared_ptr<red_state const> const lock_;
    core::instant const began_;
    std::vector<std::size_t> asked_;  // nodes, by place

    std::mutex mutex_;  // of what follows
    phase phase_ = phase::collecting;
    std::vector<vote> votes_;                                      // until it is opened
    std::vector<std::optional<engine::server_identity>> servers_;  // since then, by node
    std::vector<lease> late_;                                      // until it is known what they join
    std::weak_ptr<bundle> won_;
    boost::intrusive_ptr<attempts> under_way_;
    std::size_t left_ = 0;
};

}  // namespace holdfast::detail

#endif
