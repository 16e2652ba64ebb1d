//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SUPPORT_LIVE_THREAD_HPP
#define HOLDFAST_TEST_SUPPORT_LIVE_THREAD_HPP

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "support/live.hpp"

namespace holdfast::test {

// Clients with a thread of their own, which runs while the test blocks. The body is a function from `live&` to
// awaitable<void>. It must not use the assertions of Catch2, which belong to the thread of the test.
class live_thread {
public:
    template <class Body>
    live_thread(Body body, std::chrono::milliseconds limit)
        : thread_([this, body = std::move(body), limit]() mutable {
              try {
                  live l;
                  l.run([&]() -> asio::awaitable<void> { co_await body(l); }, limit);
              } catch (...) {
                  failure_ = std::current_exception();
              }
              is_over_ = true;
          })
    {}
    ~live_thread()
    {
        if (thread_.joinable())
            thread_.join();
    }
    live_thread(live_thread const&) = delete;
    live_thread& operator=(live_thread const&) = delete;

    bool is_over() const noexcept { return is_over_; }

    // Waits for the end of the body, and rethrows its exception.
    void join()
    {
        thread_.join();
        if (failure_)
            std::rethrow_exception(failure_);
    }

private:
    std::atomic<bool> is_over_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace holdfast::test

#endif
