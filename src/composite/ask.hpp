//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ASK_HPP
#define HOLDFAST_ASK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "client/cancellation.hpp"
#include "composite/client_list.hpp"
#include "composite/limit.hpp"
#include "composite/member_call.hpp"
#include "composite/task.hpp"
#include "handle/completion.hpp"
#include "operations/pause.hpp"

namespace holdfast::detail {

template <class... Results>
using outcome_of = std::tuple<described_error, Results...>;

// An operation that a coordinator starts on a member, such as an initiation.
template <class Operation>
struct question {
    Operation what;
    std::shared_ptr<client_state> of;  // the member's client; null: the member is a composite lock
};

// What the members have answered when the coordinator's wait ended.
template <class... Results>
struct answers {
    std::vector<std::optional<outcome_of<Results...>>> of;  // by member; none: it did not answer
    std::vector<std::size_t> order;                         // of the members that have answered

    // The error of a member; unavailable if it did not answer before the limit, or was cancelled because of it.
    described_error error_of(std::size_t member) const
    {
        auto const& a = of[member];
        bool const has_answered = a && std::get<0>(*a).code != asio::error::operation_aborted;
        return has_answered ? std::get<0>(*a) : described_error(errc::unavailable);
    }
    std::vector<described_error> errors() const
    {
        std::vector<described_error> all;
        for (std::size_t i = 0; i < of.size(); ++i)
            all.push_back(error_of(i));
        return all;
    }
};

// Decides after how many successes the other answers cannot change the result.
struct enough_successes {
    std::size_t needed;

    template <class... Results>
    bool operator()(described_error const& ec, Results const&...) noexcept
    {
        return !ec && --needed == 0;
    }
};

// Whatever the answer, the first one is enough.
struct first_answer {
    template <class... Results>
    bool operator()(described_error const&, Results const&...) const noexcept
    {
        return true;
    }
};

struct all_answers {
    template <class... Results>
    bool operator()(described_error const&, Results const&...) const noexcept
    {
        return false;
    }
};

// The answers for which a coordinator waits, on its strand and with a time limit of its own. It does not wait for the
// end of an operation that it has cancelled: a client whose execution context stands still would never end it.
//
// | phase    | event                         | next     | action                                                   |
// |----------|-------------------------------|----------|----------------------------------------------------------|
// | asking   | an answer                     | asking   | is kept                                                  |
// | asking   | the last, or enough answers   | asking   | posts stop()                                             |
// | asking   | stop(): these, a cancellation | stopping | cancels the operations that have not ended               |
// |          | or the limit                  |          |                                                          |
// | stopping | an answer of a client         | stopping | is destroyed: a lease among its results is released      |
// | stopping | an answer of a composite lock | stopping | is kept                                                  |
// | stopping | no composite lock is open     | over     | resumes the coordinator, and forgets its executor        |
// | over     | an answer                     | over     | is destroyed                                             |
//
// A composite member ends as promptly as this object, on the same strand, so it is waited for: nothing refers to the
// executor of the coordinator when the coordinator goes on.
//
// Lifetimes: each operation and the limit own this object until they end, and this object owns the coordinator's handler
// until it is over. So an operation that its client never ends keeps this object, its message to the client, and nothing
// of the coordinator. The coordinator and its cancellation slot do not own this object: when all operations are destroyed
// with their execution context, the coordinator is destroyed with them.
template <class... Results>
class inquiry final : public std::enable_shared_from_this<inquiry<Results...>> {
public:
    using condition = std::function<bool(described_error const&, Results const&...)>;

    inquiry(asio::any_io_executor strand, std::size_t count, condition enough)
        : strand_(std::move(strand)),
          enough_(std::move(enough)),
          answers_{std::vector<std::optional<outcome_of<Results...>>>(count), {}},
          left_(count)
    {}

    // On the strand: starts the operations, and waits. void(answers<Results...>).
    template <class Operation, class Token>
    static auto run(
        asio::any_io_executor strand,
        condition enough,
        std::vector<question<Operation>> questions,
        client_list clocks,
        std::optional<time_limit> limited,
        Token&& token)
    {
        auto begin = [strand = std::move(strand),
                      enough = std::move(enough),
                      questions = std::move(questions),
                      clocks = std::move(clocks),
                      limited](auto h) mutable {
            auto const all = std::make_shared<inquiry>(std::move(strand), questions.size(), std::move(enough));
            all->handler_ = std::move(h);
            all->start(std::move(questions), std::move(clocks), limited);
        };
        return asio::async_initiate<Token, void(answers<Results...>)>(std::move(begin), token);
    }

private:
    enum class phase : std::uint8_t { asking, stopping, over };

    // The calls exist before the first is started, whose answer may come at once.
    template <class Operation>
    void start(std::vector<question<Operation>> questions, client_list clocks, std::optional<time_limit> limited)
    {
        auto const self = this->shared_from_this();
        on_cancellation(handler_, [all = this->weak_from_this()] {
            if (auto const alive = all.lock())
                alive->stop();
        });
        for (auto const& q : questions)
            calls_.push_back(std::make_shared<member_call>(q.of, strand_));
        // If no clock is left, the operations end by themselves, but a pause does not.
        if (limited) {
            auto const l = std::make_shared<limit>(
                strand_, clocks, *limited, [self, is_pause = questions.empty()](bool has_passed) {
                    if (has_passed || is_pause)
                        self->stop();
                });
            limit_ = l;
            l->start();
        }
        for (std::size_t i = 0; i < questions.size(); ++i)
            calls_[i]->template start<Results...>(
                std::move(questions[i].what), [self, i](described_error ec, Results... results) {
                    self->end(i, {std::move(ec), std::move(results)...});
                });
    }

    // Any thread, perhaps in an engine. An answer that comes too late is destroyed by the caller, without the mutex.
    // A lease is not renewed until the coordinator has it: the coordinator may never run.
    void end(std::size_t place, outcome_of<Results...>&& a)
    {
        asio::any_io_executor wake;
        bool is_last_here = false;
        {
            std::scoped_lock const guard(mutex_);
            bool const is_here = std::exchange(calls_[place], nullptr)->is_here();
            --left_;
            if (phase_ == phase::over || (phase_ == phase::stopping && !is_here))
                return;
            std::apply([](auto&, auto&... results) { (give_back(results), ...); }, a);
            bool const is_enough = std::apply(enough_, std::as_const(a));
            answers_.of[place] = std::move(a);
            answers_.order.push_back(place);
            if (phase_ == phase::asking && (is_enough || left_ == 0))
                wake = strand_;
            is_last_here = phase_ == phase::stopping && !is_any_here();
        }
        if (wake)
            asio::post(wake, [self = this->shared_from_this()] { self->stop(); });
        if (is_last_here)
            resume();
    }

    // On the strand. A second call has no effect.
    void stop()
    {
        std::vector<std::shared_ptr<member_call>> open;
        bool is_over = false;
        {
            std::scoped_lock const guard(mutex_);
            if (phase_ != phase::asking)
                return;
            phase_ = phase::stopping;
            open = calls_;
            is_over = !is_any_here();
        }
        for (auto const& c : open)
            if (c)
                c->cancel();
        if (is_over)
            resume();
    }

    // On the strand. Posted, because the coordinator may be emitting the cancellation, whose slot is cleared here.
    void resume()
    {
        asio::any_io_executor strand;
        answers<Results...> given;
        {
            std::scoped_lock const guard(mutex_);
            phase_ = phase::over;
            strand.swap(strand_);
            given = std::move(answers_);
        }
        if (auto const l = limit_.lock())
            l->cancel();
        asio::post(strand, [h = std::move(handler_), given = std::move(given)]() mutable {
            asio::get_associated_cancellation_slot(h).clear();
            std::move(h)(std::move(given));
        });
    }

    // Precondition: mutex_ is locked.
    bool is_any_here() const
    {
        return std::ranges::any_of(calls_, [](auto const& c) { return c && c->is_here(); });
    }

    asio::any_completion_handler<void(answers<Results...>)> handler_;  // on the strand
    std::weak_ptr<limit> limit_;                                       // on the strand; null: there is none

    std::mutex mutex_;  // protects the members below
    phase phase_ = phase::asking;
    asio::any_io_executor strand_;  // empty: it is over
    condition enough_;
    answers<Results...> answers_;
    std::size_t left_;
    std::vector<std::shared_ptr<member_call>> calls_;  // by member; null: it has ended
};

// Asks members in a coroutine of coordinate(). `clocks`: the clients whose timers keep the limit. After a cancellation
// the answers that had come by then are returned.
template <class... Results, class Operation, class Enough>
task<answers<Results...>> ask(
    std::vector<question<Operation>> questions, Enough enough, client_list clocks, std::optional<time_limit> limited)
{
    auto const here = co_await asio::this_coro::executor;
    auto given = co_await inquiry<Results...>::run(
        here, std::move(enough), std::move(questions), std::move(clocks), limited, use_task);
    for (auto& a : given.of)
        if (a)
            std::apply([](auto&, auto&... results) { (take_up(results), ...); }, *a);
    co_return given;
}

// Waits in such a coroutine, by the timers of these clients, for as long as the limit says. A cancellation ends it at
// once, and so does the stop of all clients.
inline task<void> pause_here(client_list clocks, time_limit how)
{
    auto const here = co_await asio::this_coro::executor;
    std::vector<question<pause>> none;
    co_await inquiry<>::run(here, all_answers(), std::move(none), std::move(clocks), how, use_task);
}

}  // namespace holdfast::detail

#endif
