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

// An asynchronous mutex whose waiters enter in order of arrival. The contenders of one process for one red_lock use it.
// Thread-safe.
class fifo_mutex : public std::enable_shared_from_this<fifo_mutex> {
public:
    // Its destructor unlocks the mutex.
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
        std::shared_ptr<fifo_mutex> of_;
    };

    static std::shared_ptr<fifo_mutex> make() { return std::make_shared<fifo_mutex>(); }

    // Locks the mutex if it is free, and returns whether it did.
    bool try_enter() noexcept;

    // void(error_code): on success the mutex is locked, also if a cancellation came too late, and the handler must
    // unlock it.
    template <class Token>
    auto enter(asio::any_io_executor where, Token&& token)
    {
        return initiate<void(error_code)>(entry{shared_from_this(), std::move(where)}, std::forward<Token>(token));
    }

    // From now on nobody waits: all who wait enter, and so do all who come. Called when an execution context ends,
    // because the context can destroy only handlers that were posted to it.
    void open() noexcept;

private:
    using handler = handler_at<void(error_code)>;

    struct entry {
        std::shared_ptr<fifo_mutex> into;
        asio::any_io_executor where;
        asio::any_io_executor get_executor() const noexcept { return where; }
        void start(handler h) && { into->wait(std::move(h)); }
    };

    void wait(handler);
    void leave() noexcept;
    void give_up(std::uint64_t number);

    std::mutex mutex_;
    bool is_taken_ = false;
    bool is_open_ = false;
    std::list<std::pair<std::uint64_t, handler>> queue_;
    std::uint64_t last_ = 0;
};

}  // namespace holdfast::detail

#endif
