//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_POOLED_HPP
#define HOLDFAST_CORE_POOLED_HPP

#include <cstddef>
#include <new>
#include <utility>

namespace holdfast::core {

// How many idle blocks of each kind a thread keeps. None in builds for memory checkers, which are to see every end.
extern std::size_t const most_idle;

// Base of a final class T whose objects come and go with each acquire: they are made in blocks that earlier ones left
// on the same thread. An object may end on another thread than it began on.
template <class T>
class pooled {
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
        thread_local emptier const at_end;
        idle_.first = new (left) block{idle_.first};
        ++idle_.count;
    }

private:
    struct block {
        block* next;
    };

    // Without a destructor: objects may still end when those of the thread have run.
    struct free_list {
        block* first;
        std::size_t count;
    };

    // Frees the blocks when the thread ends, and keeps none after that.
    struct emptier {
        ~emptier()
        {
            while (idle_.first)
                ::operator delete(std::exchange(idle_.first, idle_.first->next));
            idle_.count = most_idle;
        }
    };

    static inline constinit thread_local free_list idle_{};
};

}  // namespace holdfast::core

#endif
