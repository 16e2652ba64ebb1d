//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_BOOST_SESSION_HPP
#define HOLDFAST_REDIS_BOOST_SESSION_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/redis/config.hpp>
#include <boost/system/error_code.hpp>

#include <holdfast/config.hpp>

#include "core/backoff.hpp"
#include "core/subscription_right.hpp"
#include "engine/log.hpp"
#include "engine/session.hpp"
#include "engine/strand.hpp"
#include "redis/alarm.hpp"
#include "redis/greeting.hpp"
#include "redis/link.hpp"
#include "redis/machine.hpp"
#include "redis/pipeline.hpp"
#include "redis/url.hpp"

namespace holdfast::redis {

// The session over Boost.Redis: epochs, each the life of a link, and the batches that they carry.
class boost_session final : public engine::session,
                            public link_owner,
                            public std::enable_shared_from_this<boost_session> {
public:
    boost_session(engine::strand, endpoint, std::string name, boost::asio::ssl::context, config const&, engine::log);

    void start(engine::session_events&) override;
    void stop() noexcept override;
    bool is_open() const noexcept override { return is_open_; }
    void submit(engine::command&, std::span<std::string_view const>) override;
    void await_turn_end() override { flush_soon(); }
    void subscribe(std::string_view channel) override { add_subscription("SUBSCRIBE", channel); }
    void unsubscribe(std::string_view channel) override { add_subscription("UNSUBSCRIBE", channel); }
    bool notifies() const noexcept override { return right_.may_subscribe(); }
    void drop(std::string_view why) override;
    core::instant now() const noexcept override { return boot_time(); }
    void wake_at(core::instant at) override { alarm_->wake_at(at); }
    std::uint64_t random() noexcept override { return jitter_.next(); }
    std::array<std::uint8_t, 16> identity() override { return random_bytes(); }
    std::uint64_t incarnation() const noexcept override { return count_of_forks(); }

private:
    void on_greeted(link&) override;
    void on_barrier(link&) override;
    void on_finished(std::shared_ptr<batch> const&, boost::system::error_code) override;
    void on_message(link&, std::string_view channel) override;
    void on_unsolicited(link&, std::string_view words) override;
    void on_ended(link&, boost::system::error_code) override;
    std::shared_ptr<link_owner> keep() override { return shared_from_this(); }

    void connect();
    void limit_opening();
    void open();
    void close(engine::closing const&);
    void tell_closed(engine::closing const&);
    void connect_again(bool permanent);
    engine::closing reason_of(engine::closing const& transport) const;
    void note_refused_subscription();

    void add_subscription(std::string_view verb, std::string_view channel);
    void flush_soon();
    void flush();
    void watch_deadlines();

    engine::strand strand_;
    endpoint endpoint_;
    std::string name_;
    boost::asio::ssl::context tls_;
    boost::redis::config connection_config_;
    engine::log log_;

    engine::session_events* events_ = nullptr;  // null before start() and after stop()
    std::shared_ptr<link> link_;                // null between epochs
    bool is_open_ = false;
    core::subscription_right right_;
    bool flush_is_posted_ = false;
    bool deadline_is_watched_ = false;
    pipeline pipeline_;

    connection_id last_;                      // the last connection that carried commands
    std::optional<core::instant> opened_;     // the present connection
    std::string last_words_;                  // of the last failure that was logged
    std::optional<std::string> drop_reason_;  // of the present connection
    core::backoff pause_{std::chrono::milliseconds(50), std::chrono::seconds(2)};
    core::backoff long_pause_{std::chrono::seconds(1), std::chrono::seconds(5)};
    jitter_source jitter_;

    boost::asio::steady_timer pace_timer_;  // limits the opening, and pauses before the next
    boost::asio::steady_timer deadline_timer_;
    std::shared_ptr<alarm> alarm_;
};

}  // namespace holdfast::redis

#endif
