//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_KEPT_MEMORY_HPP
#define HOLDFAST_ENGINE_KEPT_MEMORY_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/recycling_allocator.hpp>

namespace holdfast::engine {

// Memory for one queued function, so that to queue it needs no other.
class kept_memory {
public:
    static constexpr std::size_t size = 256;

    void* take() noexcept { return is_taken_.exchange(true, std::memory_order_acquire) ? nullptr : space_; }
    // Whether it was this memory.
    bool give_back(void const* p) noexcept
    {
        if (p != space_)
            return false;
        is_taken_.store(false, std::memory_order_release);
        return true;
    }

private:
    alignas(std::max_align_t) std::byte space_[size];
    std::atomic<bool> is_taken_ = false;
};

// Takes memory that was kept, and while it is in use, or if there is none, memory of Asio.
template <class T>
class kept_allocator {
public:
    using value_type = T;

    kept_allocator() noexcept = default;
    explicit kept_allocator(std::shared_ptr<kept_memory> m) noexcept : memory_(std::move(m)) {}
    template <class Other>
    kept_allocator(kept_allocator<Other> const& other) noexcept : memory_(other.memory_)
    {}

    T* allocate(std::size_t n)
    {
        void* const p = n * sizeof(T) <= kept_memory::size && memory_ ? memory_->take() : nullptr;
        return p ? static_cast<T*>(p) : boost::asio::recycling_allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept
    {
        if (!memory_ || !memory_->give_back(p))
            boost::asio::recycling_allocator<T>().deallocate(p, n);
    }

    friend bool operator==(kept_allocator const&, kept_allocator const&) = default;

private:
    template <class>
    friend class kept_allocator;

    std::shared_ptr<kept_memory> memory_;  // null: none
};

}  // namespace holdfast::engine

#endif
