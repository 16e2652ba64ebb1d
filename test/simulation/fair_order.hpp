//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_SIMULATION_FAIR_ORDER_HPP
#define HOLDFAST_TEST_SIMULATION_FAIR_ORDER_HPP

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scripts_generated.hpp"
#include "support/script_word.hpp"
#include "support/simulated_server.hpp"

namespace holdfast::test {

// Receives every command that the server executes, and keeps a queue of its own for each fair lock. Throws if a lock is
// granted in another order than that in which the contenders first reached the server.
class fair_order {
public:
    void operator()(executed const& e)
    {
        auto const args = e.what.args;
        bool const is_call = !e.what.in_script && !args.empty() && args[0].starts_with("EVAL");
        if (!is_call || !e.what.reply || e.what.reply->is_error())
            return;
        auto& q = queues_[std::string(args[3])];
        auto const first = args.subspan(3 + static_cast<std::size_t>(std::stoul(std::string(args[2]))));
        if (is_script(args[1], engine::scripts::fair_acquire))
            on_acquire(q, first[0], first[4] == "0", *e.what.reply);
        else if (is_script(args[1], engine::scripts::fair_leave))
            on_leave(q, first[0]);
    }

private:
    struct queue {
        std::string holder;
        std::vector<std::string> waiting;
    };

    static void on_acquire(queue& q, std::string_view token, bool is_single, simulated::value const& reply)
    {
        auto const at = std::ranges::find(q.waiting, token);
        bool const is_granted = reply.is_nil() || reply.integer > 0;
        if (!is_granted && at == q.waiting.end() && !is_single)
            q.waiting.emplace_back(token);
        bool const is_repeated = at == q.waiting.end() && q.holder == token;
        if (!is_granted || is_repeated)
            return;
        if (at != q.waiting.begin())
            throw std::runtime_error(std::string(token) + " was served before " + q.waiting.front());
        if (at != q.waiting.end())
            q.waiting.erase(at);
        q.holder = token;
    }

    static void on_leave(queue& q, std::string_view token)
    {
        std::erase(q.waiting, token);
        if (q.holder == token)
            q.holder.clear();
    }

    std::map<std::string, queue> queues_;
};

}  // namespace holdfast::test

#endif
