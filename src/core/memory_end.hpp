//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_MEMORY_END_HPP
#define HOLDFAST_CORE_MEMORY_END_HPP

#include <new>
#include <utility>

#include <boost/config.hpp>

namespace holdfast::core {

// Writes one line to standard error and calls std::terminate(). "Without memory" in docs/threads.md says when. A shared
// library exports it, because holdfast::testing has the same strands.
[[noreturn]] BOOST_SYMBOL_VISIBLE void end_without_memory() noexcept;

// Calls a function that must not be left for want of memory: what it was changing would remain half changed, and a
// handler that it was about to post would never be called. The strand of a client does the same for what runs on it.
template <class Function>
void run_or_end(Function&& f)
{
    try {
        std::forward<Function>(f)();
    } catch (std::bad_alloc const&) {
        end_without_memory();
    }
}

}  // namespace holdfast::core

#endif
