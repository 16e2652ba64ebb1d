//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TURNSTILE_HPP
#define HOLDFAST_TURNSTILE_HPP

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include <holdfast/detail/initiate.hpp>

namespace holdfast::detail {

// Lets one pass at a time, in order of arrival: the contenders of one process for one red_lock. Any thread.
class turnstile : public std::enable_shared_from_this<turnstile> {
public:
    // Ends one's turn.
    class turn {
    public:
        turn() = default;
        explicit turn(std::shared_ptr<turnstile> of) noexcept : of_(std::move(of)) {}
        turn(turn&&) noexcept = default;
        turn& operator=(turn&&) = delete;
        ~turn()
        {
            if (of_)
                of_->leave();
        }

    private:
        std::shared_ptr<turnstile> of_;
    };

    // True, and a turn begins, if nobody else has one.
    bool try_enter() noexcept;

    // void(error_code): success begins a turn, also when a cancellation came too late; the handler must end it.
    template <class Token>
    auto enter(asio::any_io_executor where, Token&& token)
    {
        return initiate<void(error_code)>(entry{shared_from_this(), std::move(where)}, std::forward<Token>(token));
    }

    // From now on nobody waits: who is queued passes, and whoever comes. For the end of an execution context, which must
    // find all handlers where it can destroy them.
    void open() noexcept;

private:
    using handler = handler_at<void(error_code)>;

    struct entry {
        std::shared_ptr<turnstile> into;
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
