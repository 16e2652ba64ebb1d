//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_READER_JOINING_HPP
#define HOLDFAST_ENGINE_READER_JOINING_HPP

#include <cstdint>
#include <iterator>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/turn_budget.hpp"
#include "engine/acquire/contender.hpp"

namespace holdfast::engine {

// What a grant is to readers that would join it.
enum class joinability : std::uint8_t {
    closed,  // none may join: a writer waits, or the grant is at risk or has ended
    stale,   // they may, if the server agrees
    fresh    // they may at once: its last reply is recent
};

// Whether that change may let in readers that were refused before. Time makes a fresh grant stale, and lets nobody in. A
// grant that is closed may have stood before a fresh one, which readers may join now.
constexpr bool may_let_in(joinability before, joinability now) noexcept
{
    return before != now && !(before == joinability::fresh && now == joinability::stale);
}

// The readers that wait, and which of them must be asked whether they may join a grant. A reader that may not is not
// asked again until ask_all(): with many readers in the queue, each event would read all of it otherwise.
class reader_joining {
public:
    using readers = boost::intrusive::list<contender>;

    // Something has changed in favour of readers: the next admit() asks all of them.
    void ask_all() noexcept { ++round_; }

    // Calls may_enter(contender) for each reader, in order, that was not asked in this round. Calls enter(contender) for
    // those that may, which takes the reader out of the queue. That may take other contenders of its owner out, too, and
    // may lead to a call of this function. At most turn_budget enter; false: another may, and waits for the next call.
    template <class MayEnter, class Enter>
    bool admit(readers& queue, MayEnter may_enter, Enter enter)
    {
        auto left = core::turn_budget;
        auto const round = round_;
        auto const is_asked = [round](contender const& c) { return c.asked_in == round; };
        // Readers join at the end, so those that were asked are at the front.
        auto next = queue.end();
        while (next != queue.begin() && !is_asked(*std::prev(next)))
            --next;
        while (next != queue.end()) {
            auto& c = *next;
            if (is_asked(c) || !may_enter(c)) {
                c.asked_in = round;
                ++next;
                continue;
            }
            if (left-- == 0)
                return false;
            boost::intrusive_ptr<contender> const before(next == queue.begin() ? nullptr : &*std::prev(next));
            enter(c);
            // Those before it were asked. The one that stood there may have left the queue, which forgets that.
            next = before && is_asked(*before) ? std::next(queue.iterator_to(*before)) : queue.begin();
        }
        return true;
    }

private:
    std::uint32_t round_ = 1;
};

}  // namespace holdfast::engine

#endif
