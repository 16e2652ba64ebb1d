//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_RECYCLER_HPP
#define HOLDFAST_CORE_RECYCLER_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace holdfast::core {

// Makes objects that come and go often, in memory that earlier ones left.
template <class T>
class recycler {
public:
    recycler() { idle_.reserve(most_idle); }
    recycler(recycler const&) = delete;
    recycler& operator=(recycler const&) = delete;
    ~recycler()
    {
        for (auto* room : idle_)
            ::operator delete(room);
    }

    template <class... Arguments>
    T* make(Arguments&&... arguments)
    {
        auto* room = idle_.empty() ? ::operator new(sizeof(T)) : idle_.back();
        if (!idle_.empty())
            idle_.pop_back();
        return new (room) T(std::forward<Arguments>(arguments)...);
    }

    void dispose(T* object) noexcept
    {
        std::destroy_at(object);
        if (idle_.size() < most_idle)
            idle_.push_back(object);
        else
            ::operator delete(object);
    }

private:
    static constexpr std::size_t most_idle = 256;

    std::vector<void*> idle_;
};

}  // namespace holdfast::core

#endif
