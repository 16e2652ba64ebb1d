//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_STRAND_HPP
#define HOLDFAST_ENGINE_STRAND_HPP

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include "core/memory_end.hpp"
#include "engine/port/kept_memory.hpp"

namespace holdfast::engine {

// The executor below a strand. A strand of Asio queues a function, and then itself with this executor, which must not
// fail: the strand would believe to be queued for ever, and run nothing again. An io_context and a thread_pool queue it
// in memory that was kept for it, because a strand is queued once at a time. With another executor, the process ends
// without memory.
//
// It has the properties that a strand needs. A strand asks with each function whether its executor may block; this class
// knows it, and an any_io_executor would answer with an object that it allocates.
class ending_executor {
public:
    // The template keeps the type exact: a copy would otherwise ask whether an any_io_executor can hold this class, while
    // that is what Asio is finding out.
    template <std::same_as<boost::asio::any_io_executor> Executor>
    explicit ending_executor(Executor e) : inner_(std::move(e)), for_itself_(std::make_shared<kept_memory>())
    {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept
    {
        return boost::asio::query(inner_, boost::asio::execution::context);
    }
    boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept
    {
        using boost::asio::execution::blocking;
        return never_blocks_ ? boost::asio::execution::blocking_t(blocking.never) : blocking.possibly;
    }
    // Of the functions that the strand queues.
    kept_allocator<void> const& query(boost::asio::execution::allocator_t<void>) const noexcept { return functions_; }
    ending_executor require(boost::asio::execution::blocking_t::never_t p) const noexcept
    {
        return {[&] { return boost::asio::require(inner_, p); }, *this, true};
    }
    ending_executor require(boost::asio::execution::outstanding_work_t::tracked_t p) const noexcept
    {
        return {[&] { return boost::asio::prefer(inner_, p); }, *this, never_blocks_};
    }
    ending_executor require(boost::asio::execution::allocator_t<kept_allocator<void>> const& a) const noexcept
    {
        auto other = *this;
        other.functions_ = a.value();
        return other;
    }

    template <class Function>
    void execute(Function f) const
    {
        using boost::asio::io_context;
        using boost::asio::thread_pool;
        core::run_or_end([&] {
            if (!execute_on<io_context::executor_type>(f) && !execute_on<thread_pool::executor_type>(f))
                inner_.execute(std::move(f));
        });
    }

    friend bool operator==(ending_executor const& a, ending_executor const& b) noexcept { return a.inner_ == b.inner_; }

private:
    // An any_io_executor may need memory to change a property. The result is made in place: each post makes three of
    // them, and the move of an any_io_executor is a virtual call.
    template <class Make>
    ending_executor(Make const& make, ending_executor const& other, bool never_blocks) noexcept
    try : inner_(make()), for_itself_(other.for_itself_), functions_(other.functions_), never_blocks_(never_blocks) {
    } catch (std::bad_alloc const&) {
        core::end_without_memory();
    }

    // An any_io_executor takes no allocator. Returns whether the executor below is one of this kind, with its property or
    // without.
    template <class Executor, class Function>
    bool execute_on(Function& f) const
    {
        using tracked = boost::asio::execution::outstanding_work_t::tracked_t;
        return execute_as<Executor>(f) || execute_as<boost::asio::prefer_result_t<Executor, tracked>>(f);
    }
    template <class Executor, class Function>
    bool execute_as(Function& f) const
    {
        auto const* const e = inner_.target<Executor>();
        if (!e)
            return false;
        boost::asio::require(*e, boost::asio::execution::allocator(kept_allocator<void>(for_itself_)))
            .execute(std::move(f));
        return true;
    }

    boost::asio::any_io_executor inner_;
    std::shared_ptr<kept_memory> for_itself_;
    kept_allocator<void> functions_;
    bool never_blocks_ = false;
};

// The strand on which all state of a client lives (rule 22). An object that may outlive the execution context, such as
// a lease, must not keep one: the destructor of a strand accesses its context.
//
// Without memory it ends the process. A function that was left by an exception would leave the state of the client half
// changed, and a function that is not queued, such as the completion of a read from the socket, would leave a client
// that never does anything again.
//
// It is so small that an any_io_executor holds it without memory of its own. Asio changes a property of an
// any_io_executor in functions that are noexcept, such as the constructor of the handler of a timer: with a larger
// executor, std::bad_alloc would end the process there without a word.
class strand {
public:
    template <class Executor>
        requires(!std::same_as<Executor, strand> && std::convertible_to<Executor, boost::asio::any_io_executor>)
    explicit strand(Executor const& e) : of_(std::make_shared<shared>(boost::asio::any_io_executor(e))) {}
    strand(strand const& other) noexcept : strand(other.of_, other.never_blocks_, other.has_work_) {}
    strand(strand&& other) noexcept
        : of_(std::move(other.of_)),
          never_blocks_(other.never_blocks_),
          has_work_(std::exchange(other.has_work_, false))
    {}
    strand& operator=(strand other) noexcept
    {
        std::swap(of_, other.of_);
        std::swap(never_blocks_, other.never_blocks_);
        std::swap(has_work_, other.has_work_);
        return *this;
    }
    ~strand()
    {
        if (has_work_)
            of_->end_work();
    }

    bool running_in_this_thread() const noexcept { return of_->ordinary.possibly_blocking.running_in_this_thread(); }
    boost::asio::any_io_executor const& get_inner_executor() const noexcept { return of_->inner; }

    boost::asio::execution_context& query(boost::asio::execution::context_t) const
    {
        return boost::asio::query(of_->inner, boost::asio::execution::context);
    }
    strand require(boost::asio::execution::blocking_t::never_t) const noexcept { return {of_, true, has_work_}; }
    strand require(boost::asio::execution::outstanding_work_t::tracked_t) const noexcept
    {
        return {of_, never_blocks_, true};
    }
    // Guards the function where it is queued, and where it runs.
    template <class Function>
    void execute(Function f) const
    {
        execute_on(of_->ordinary, std::move(f));
    }
    // The same. To queue it on an io_context or a thread_pool needs no memory but what was kept for it, which is enough for
    // one such function at a time.
    template <class Function>
    void execute_in_kept_memory(Function f) const
    {
        execute_on(of_->in_kept_memory, std::move(f));
    }

    friend bool operator==(strand const& a, strand const& b) noexcept
    {
        return a.of_ == b.of_ && a.never_blocks_ == b.never_blocks_ && a.has_work_ == b.has_work_;
    }

private:
    struct lanes {
        explicit lanes(boost::asio::strand<ending_executor> s) : possibly_blocking(std::move(s)) {}

        boost::asio::strand<ending_executor> const possibly_blocking;
        boost::asio::strand<ending_executor> const never_blocking = boost::asio::require(
            possibly_blocking, boost::asio::execution::blocking.never);
    };

    // What all copies share. The execution context has work while a copy has.
    class shared {
    public:
        explicit shared(boost::asio::any_io_executor e) : inner(std::move(e)) {}

        void begin_work() noexcept
        {
            for (auto n = copies_.load(); n > 0;)
                if (copies_.compare_exchange_weak(n, n + 1))
                    return;
            std::scoped_lock const guard(mutex_);  // only with it does the number become one, or zero
            if (copies_ == 0)
                core::run_or_end(
                    [&] { work_ = boost::asio::prefer(inner, boost::asio::execution::outstanding_work.tracked); });
            ++copies_;
        }
        void end_work() noexcept
        {
            for (auto n = copies_.load(); n > 1;)
                if (copies_.compare_exchange_weak(n, n - 1))
                    return;
            boost::asio::any_io_executor ended;
            std::scoped_lock const guard(mutex_);
            if (copies_.fetch_sub(1) == 1)
                std::swap(ended, work_);
        }

        boost::asio::any_io_executor const inner;
        lanes const ordinary{boost::asio::strand<ending_executor>(ending_executor(inner))};
        lanes const in_kept_memory{boost::asio::require(
            ordinary.possibly_blocking,
            boost::asio::execution::allocator(kept_allocator<void>(std::make_shared<kept_memory>())))};

    private:
        std::atomic<long> copies_ = 0;
        std::mutex mutex_;
        boost::asio::any_io_executor work_;
    };

    strand(std::shared_ptr<shared> of, bool never_blocks, bool has_work) noexcept
        : of_(std::move(of)), never_blocks_(never_blocks), has_work_(has_work)
    {
        if (has_work_)
            of_->begin_work();
    }

    template <class Function>
    void execute_on(lanes const& l, Function f) const
    {
        auto const& on = never_blocks_ ? l.never_blocking : l.possibly_blocking;
        core::run_or_end([&] { on.execute([f = std::move(f)]() mutable { core::run_or_end(std::move(f)); }); });
    }

    std::shared_ptr<shared> of_;
    bool never_blocks_ = false;
    bool has_work_ = false;
};

}  // namespace holdfast::engine

#endif
