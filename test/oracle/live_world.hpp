//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_LIVE_WORLD_HPP
#define HOLDFAST_TEST_ORACLE_LIVE_WORLD_HPP

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "oracle/live_servers.hpp"
#include "oracle/world.hpp"

namespace holdfast::test::oracle {

// Real servers, real connections, real time. With one thread, the caller's thread runs everything, whenever it lets
// time pass; with more threads, each operation has a strand of its own, and steps without time between them run at
// once.
class live_world final : public world {
public:
    live_world(live_servers&, unsigned threads);
    ~live_world() override;

    asio::any_io_executor executor_of(std::int64_t process) override;
    holdfast::client make_client(std::int64_t process, unsigned server, holdfast::config) override;
    void run_inside(std::int64_t process, asio::any_io_executor, std::function<void()>) override;
    void await_steps() override;
    asio::awaitable<void> sleep(std::int64_t process, core::duration) override;
    bool is_real() const noexcept override { return true; }
    bool is_frozen(std::int64_t) override { return false; }

    core::instant now() const override;
    void run_for(core::duration) override;
    void settle(std::function<bool()> const&) override;
    bool let_keys_expire() override { return false; }
    void finish() override;

    void inject(step const&, core::instant end) override;
    void delete_key(unsigned server, std::string_view key) override;
    bool plant(lock_design const&, std::int64_t how) override;
    void heal() override;

    bool exists(unsigned server, std::string_view key) override;
    std::vector<std::string> keys(unsigned server) override;
    std::string text(unsigned server, std::string_view key) override;
    std::int64_t subscribers(unsigned server, std::string_view channel) override;
    engine::client_engine::census census(holdfast::client&) override;

    bool is_traced() override { return true; }
    void note(std::string_view source, std::string_view what) override;
    std::string trace() override;

private:
    bool has_threads() const noexcept { return !threads_.empty(); }
    void run_until(core::instant);
    void end_faults();

    live_servers& servers_;
    core::instant const begin_ = now();
    std::multimap<core::instant, unsigned> fault_ends_;  // of servers

    std::mutex mutex_;  // of the members below
    std::condition_variable steps_ended_;
    unsigned steps_ = 0;  // that were begun and have not ended
    std::deque<std::string> trace_;

    asio::io_context context_;
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{context_.get_executor()};
    std::vector<std::thread> threads_;
};

}  // namespace holdfast::test::oracle

#endif
