//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LIMIT_HPP
#define HOLDFAST_LIMIT_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "composite/client_list.hpp"
#include "composite/member_call.hpp"

namespace holdfast::detail {

// A time limit that a coordinator keeps by itself. A client has one timer (rule 24), so the limit is a deadline in the
// queue of a client that runs where the coordinator does: its context runs if the coordinator does. If there is none, or
// if that client stops, the limit is in the queues of all other clients, and the first of them ends it. Thread-safe.
class limit final : public std::enable_shared_from_this<limit> {
public:
    // Calls `ended` on `where`, unless cancel() is called first: with true when the time is over, with false when all
    // clients have stopped.
    limit(asio::any_io_executor where, client_list const& of, time_limit, std::function<void(bool has_passed)> ended);

    void start();
    // Gives up the executor and the function. May be called inside an engine.
    void cancel();

private:
    void arm(client_list const& at);
    void note_end(bool has_passed);
    void arm_rest();
    void end(bool has_passed);

    std::mutex mutex_;                               // protects the members below
    asio::any_io_executor where_;                    // empty: it is over
    std::vector<std::weak_ptr<client_state>> rest_;  // clients in whose queues it is not yet
    std::size_t armed_ = 0;                          // queues in which it is
    time_limit const how_;
    std::function<void(bool)> ended_;
    std::vector<std::shared_ptr<member_call>> calls_;
};

}  // namespace holdfast::detail

#endif
