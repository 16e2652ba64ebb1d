//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_FIFO_MUTEX_HPP
#define HOLDFAST_FIFO_MUTEX_HPP

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include <holdfast/detail/initiate.hpp>

namespace holdfast::detail {

// An asynchronous mutex whose waiters enter in order of arrival. The contenders of one process for one red_lock use it:
// their clients may run on several threads, so it needs no strand. Thread-safe.
class fifo_mutex : public std::enable_shared_from_this<fifo_mutex> {
public:
    // Its destructor unlocks the mutex. So the mutex is also unlocked when a coroutine that holds it is destroyed with
    // its execution context.
    class turn {
    public:
        turn() = default;
        explicit turn(std::shared_ptr<fifo_mutex> of) noexcept : of_(std::move(of)) {}
        turn(turn&&) noexcept = default;
        turn& operator=(turn&&) = delete;
        ~turn()
        {
            if (of_)
                of_->leave();
        }

    private:
        std::shared_ptr<fifo_mutex> of_;  // null: an empty turn, which unlocks nothing
    };

    static std::shared_ptr<fifo_mutex> make() { return std::make_shared<fifo_mutex>(); }

    // Locks the mutex if it is free, and returns whether it did.
    bool try_enter() noexcept;

    // Waits until the mutex is locked for the caller. On success the handler must unlock it by a `turn`, even if it has
    // cancelled the operation meanwhile: the cancellation came too late.
    void wait(handler_at<void(error_code)>);

    // All waiters enter, and all later callers do so at once: the mutex excludes nothing any more. Called when the
    // execution context of the client ends. A context destroys the handlers that were posted to it, but it cannot reach
    // those that wait here, and a coroutine among them may own this mutex.
    void open() noexcept;

private:
    using handler = handler_at<void(error_code)>;
    using waiters = std::list<std::pair<std::uint64_t, handler>>;  // numbered, so that a cancellation finds its waiter

    void leave() noexcept;
    void give_up(std::uint64_t number);
    static void complete_all(waiters, error_code);

    std::mutex mutex_;
    bool is_taken_ = false;
    bool is_open_ = false;
    waiters queue_;
    std::uint64_t last_ = 0;
};

}  // namespace holdfast::detail

#endif
