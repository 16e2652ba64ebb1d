//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_RECYCLED_HPP
#define HOLDFAST_CORE_RECYCLED_HPP

#include <cstddef>
#include <new>
#include <utility>

namespace holdfast::core {

// How many idle rooms of each kind a thread keeps. None in builds for memory checkers, which are to see every end.
extern std::size_t const most_idle;

// Base of a final class T whose objects come and go with each acquire: they are made in rooms that earlier ones left on
// the same thread. An object may end on another thread than it began on.
template <class T>
class recycled {
public:
    static void* operator new(std::size_t size)
    {
        if (!idle_.first)
            return ::operator new(size);
        --idle_.count;
        return std::exchange(idle_.first, idle_.first->next);
    }

    static void operator delete(void* left) noexcept
    {
        if (idle_.count >= most_idle)
            return ::operator delete(left);
        thread_local keeper const at_end;
        idle_.first = new (left) room{idle_.first};
        ++idle_.count;
    }

private:
    struct room {
        room* next;
    };

    // Without a destructor: objects may still end when those of the thread have run.
    struct shelf {
        room* first;
        std::size_t count;
    };

    // Empties the shelf when the thread ends, and closes it.
    struct keeper {
        ~keeper()
        {
            while (idle_.first)
                ::operator delete(std::exchange(idle_.first, idle_.first->next));
            idle_.count = most_idle;
        }
    };

    static inline constinit thread_local shelf idle_{};
};

}  // namespace holdfast::core

#endif
