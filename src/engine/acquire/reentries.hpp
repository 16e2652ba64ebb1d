//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REENTRIES_HPP
#define HOLDFAST_ENGINE_REENTRIES_HPP

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/system/error_code.hpp>

#include "core/wait_outcome.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/hold/grant.hpp"

namespace holdfast::engine {

class arbiter;
struct engine_parts;

// The re-entries of one arbiter that wait until the server has confirmed a longer time to live of the grant that their
// owner holds. Each has it extended, again and again, until it is, until its own wait is over, or until it is
// cancelled. When the owner's hold ends first, the contender contends like any other.
class reentries {
public:
    reentries(engine_parts const& p, arbiter& home) noexcept : parts_(p), home_(home) {}
    ~reentries();

    bool empty() const noexcept { return waiting_.empty(); }

    void wait(contender&, grant&);
    boost::intrusive_ptr<contender> take(contender&) noexcept;

    // The extension of that grant for it has ended.
    void on_extended(contender&, grant&, boost::system::error_code);
    // Its wait is over, or it is time to ask again.
    void on_due(contender&, core::instant now);
    void on_open();
    void fail_all(boost::system::error_code);

private:
    class extension;

    void enter(contender&, grant&);
    core::instant last_moment(contender const&) const;
    core::wait_outcome classify(contender const&, core::instant now) const;

    engine_parts const& parts_;
    arbiter& home_;
    boost::intrusive::list<contender, boost::intrusive::constant_time_size<false>> waiting_;
};

}  // namespace holdfast::engine

#endif
