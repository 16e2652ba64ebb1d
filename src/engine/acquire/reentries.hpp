//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_REENTRIES_HPP
#define HOLDFAST_ENGINE_REENTRIES_HPP

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/described_error.hpp>

#include "core/wait_outcome.hpp"
#include "engine/acquire/contender.hpp"
#include "engine/hold/grant.hpp"

namespace holdfast::engine {

class arbiter;
struct engine_parts;

// The re-entries of one arbiter that wait until the server has confirmed a longer time to live of their owner's grant.
// For each, the client sends extensions until one is confirmed, its wait ends or it is cancelled. A contender whose
// owner's hold ends first contends as any other does. On the strand; the arbiter owns it.
class reentries {
public:
    reentries(engine_parts const& p, arbiter& home) noexcept : parts_(p), home_(home) {}
    ~reentries();

    bool empty() const noexcept { return waiting_.empty(); }

    // Sends an extension of that grant for the contender, which is in no queue. The contender may complete within the
    // call.
    void wait(contender&, grant&);
    // Ends the contender's wait; the caller gets the reference that the list had.
    boost::intrusive_ptr<contender> take(contender&) noexcept;

    // The extension of that grant for the contender has completed.
    void on_extended(contender&, grant&, detail::described_error const&);
    // The contender's wait has ended, or the pause before its next extension.
    void on_due(contender&, core::instant now);
    // A new epoch: each contender sends its extension again.
    void on_open();
    void fail_all(detail::described_error const&);

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
