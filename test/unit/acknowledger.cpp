//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/runtime/acknowledger.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engine/runtime/runtime.hpp"
#include "unit/fake_session.hpp"
#include "unit/fake_world.hpp"
#include "unit/lock_of.hpp"

namespace holdfast::engine {
namespace acknowledger_test {

struct waiter final : acknowledgement_waiter {
    void on_acknowledged(acknowledgement const& a) override { results.push_back(a.what); }
    std::vector<acknowledgement::kind> results;
};

// A question to two replicas, which the test answers.
struct asking {
    asking()
    {
        session->identity_of_server.run_id = link->identity_of_server.run_id = "run-1";
        made.start();
        link->events->on_open();
        made.on_session_open();
    }
    void ask()
    {
        made.await(w, lock, std::chrono::seconds(30), {});
        link->events->on_turn_end();
    }
    void answer(std::int64_t replicas)
    {
        reply const ok{.type = reply::kind::text, .text = "OK"};
        link->answer_next({.outcome = outcome::applied, .value = ok});
        reply const count{.type = reply::kind::integer, .integer = replicas};
        link->answer_next({.outcome = outcome::applied, .value = count});
    }

    std::shared_ptr<fake_world> time = std::make_shared<fake_world>();
    std::shared_ptr<fake_session> session = std::make_shared<fake_session>();
    std::shared_ptr<fake_session> link = std::make_shared<fake_session>();
    runtime parts{{time, session}, {.acknowledged_by = 2}, log(), {}};
    lock_spec lock = lock_of("seat");
    acknowledger made{parts, *session, link};
    waiter w;
};

TEST_CASE_METHOD(asking, "acknowledger: a server whose replicas do not acknowledge is doubted", "[acknowledgement]")
{
    ask();
    answer(2);
    CHECK(w.results == std::vector{acknowledgement::kind::given});
    CHECK(session->doubts == 0);
    ask();
    answer(1);
    CHECK(w.results.back() == acknowledgement::kind::missing);
    CHECK(session->doubts == 1);
}

TEST_CASE_METHOD(asking, "acknowledger: a lost connection for acknowledgements is a doubt, too", "[acknowledgement]")
{
    ask();
    link->events->on_closed({});
    CHECK(w.results == std::vector{acknowledgement::kind::missing});
    CHECK(session->doubts == 1);
}

TEST_CASE_METHOD(asking, "acknowledger: a session that is not open is not doubted", "[acknowledgement]")
{
    ask();
    session->open = false;
    link->events->on_closed({});
    CHECK(session->doubts == 0);
}

}  // namespace acknowledger_test
}  // namespace holdfast::engine
