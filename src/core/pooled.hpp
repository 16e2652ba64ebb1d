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

// How many idle blocks of each class a thread keeps. Zero in builds for memory checkers: a block that is reused would
// hide a use after free.
extern std::size_t const most_idle;

// Base of a class T of which each acquire creates and destroys objects. The thread keeps the blocks of destroyed
// objects in a free list and reuses them, so that an acquire allocates less (rule 24). The list is thread-local and
// needs no lock; an object may be destroyed on another thread, whose list then gets the block.
//
// T must be final: all blocks of a list have the size of T.
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
        // Registers the destructor of `emptier` when the thread keeps its first block.
        thread_local emptier const at_end;
        idle_.first = new (left) block{idle_.first};
        ++idle_.count;
    }

private:
    struct block {
        block* next;
    };

    // It has no destructor, so it may be used until the thread ends: other thread-local objects may destroy objects of
    // class T after `emptier` has run.
    struct free_list {
        block* first;
        std::size_t count;
    };

    // Frees the blocks when the thread ends. It sets the count to the limit, so that no block is kept after that.
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
