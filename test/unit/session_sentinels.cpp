//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/error.hpp>
#include <catch2/catch_test_macros.hpp>

#include <holdfast/credentials.hpp>

#include "session/sentinels.hpp"
#include "unit/session_scenario.hpp"

namespace holdfast::session {
namespace session_sentinels_test {

using namespace std::chrono_literals;

// A session behind sentinels. The test acts as all servers.
class watched : engine::session_events, engine::world_events {
public:
    explicit watched(std::size_t count, client_login login = {.client_name = "me"}, credentials_provider provider = {})
        : strand_(context_.get_executor()), time_(std::make_shared<holdfast::session::world>())
    {
        sentinel_group group{"mymaster", std::move(login), {}, std::move(provider)};
        for (std::size_t i = 0; i != count; ++i)
            group.places.push_back(
                {"sentinel-" + std::to_string(i), std::make_unique<fake_connector>(sentinels_.emplace_back())});
        auto to_master = std::make_unique<master_connector>(masters, addresses);
        session_ = std::make_shared<session>(
            strand_,
            session::settings{{.client_name = "me"}, 3s, {}, purpose::master},
            engine::log([this](log_level, std::string_view line) { logged.emplace_back(line); }),
            time_,
            std::move(to_master),
            std::move(group));
        time_->live_in(std::make_unique<fake_environment>(masters));
        time_->start(*this);
        session_->start(*this);
        turn();
    }
    ~watched()
    {
        session_->stop();
        time_->stop();
    }

    void turn()
    {
        context_.restart();
        context_.poll();
    }
    void advance(core::duration by)
    {
        auto const end = masters.now + by;
        for (auto const clock = time_->clock(); masters.alarm <= end;) {
            masters.now = std::max(masters.now, std::exchange(masters.alarm, core::never));
            clock.lock()->on_time();
            turn();
        }
        masters.now = end;
        turn();
    }

    std::size_t connections_to(std::size_t sentinel) const { return sentinels_[sentinel].connections.size(); }
    fake_connection& link(std::size_t sentinel) { return *sentinels_[sentinel].connections.back(); }
    bool is_open() const { return session_->is_open(); }

    void hello(std::size_t sentinel) { link(sentinel).hello(1); }
    void name_master(std::size_t sentinel, std::int64_t epoch, std::string const& host)
    {
        auto const number = std::to_string(epoch);
        std::vector<engine::reply> const master{text("ip"), text("ignored"), text("config-epoch"), text(number)};
        link(sentinel).events.lock()->on_reply({.type = engine::reply::kind::array, .items = master});
        std::vector<engine::reply> const address{text(host), text("6379")};
        link(sentinel).events.lock()->on_reply({.type = engine::reply::kind::array, .items = address});
        turn();
    }
    // The first answers of a sentinel.
    void answer(std::size_t sentinel, std::int64_t epoch, std::string const& host)
    {
        hello(sentinel);
        name_master(sentinel, epoch, host);
        link(sentinel).reply("PONG");
    }
    void announce(std::size_t sentinel)
    {
        link(sentinel).take();
        link(sentinel).events.lock()->on_message("+switch-master");
    }
    std::size_t questions(std::size_t sentinel)
    {
        auto const sent = link(sentinel).take();
        return static_cast<std::size_t>(std::ranges::count(sent, "SENTINEL MASTER mymaster"));
    }
    void submit(probe& p)
    {
        std::array<std::string_view, 1> const words{"TIME"};
        session_->submit(p, words);
        turn();
    }
    void doubt()
    {
        session_->doubt();
        turn();
    }
    void greet_master(std::string const& run)
    {
        masters.connections.back()->hello(7);
        masters.connections.back()->info(run);
        turn();
    }

    fake_world masters;  // and the time
    lines addresses;     // where the connections to masters lead
    lines closings;
    lines logged;
    bool stops_when_closed = false;

private:
    class master_connector final : public connector {
    public:
        master_connector(fake_world& w, lines& to) : fake_(w), addresses_(to) {}
        std::shared_ptr<connection> connect(std::weak_ptr<connection_events> e) override
        {
            addresses_.push_back(master_);
            return fake_.connect(std::move(e));
        }
        std::string server_name() const override { return "fake"; }
        void on_master(master_address const& m) override { master_ = m.host + ":" + std::to_string(m.port); }

    private:
        fake_connector fake_;
        lines& addresses_;
        std::string master_ = "nowhere";
    };

    void on_open() override {}
    void on_closed(engine::closing const& c) override
    {
        closings.emplace_back(c.words);
        if (stops_when_closed)
            session_->stop();
    }
    void on_message(std::string_view) override {}
    void on_subscribed(std::string_view) override {}
    void on_unsubscribed(std::string_view) override {}
    void on_turn_end() override {}
    void on_doubt(core::redirect const*) override {}
    void on_alarm() override {}

    boost::asio::io_context context_;
    engine::strand strand_;
    std::deque<fake_world> sentinels_;
    std::shared_ptr<holdfast::session::world> time_;
    std::shared_ptr<session> session_;
};

lines const question{"SENTINEL MASTER mymaster", "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"};

// With one sentinel, which has named the first master.
void open_at_first(watched& w)
{
    w.answer(0, 1, "first");
    w.greet_master("run-1");
    REQUIRE(w.is_open());
}

TEST_CASE("a session asks all sentinels side by side, and the answer with the highest epoch counts")
{
    watched w(3);
    for (std::size_t i = 0; i != 3; ++i)
        CHECK(
            w.link(i).take()
            == lines{
                "HELLO 3 SETNAME me",
                "SENTINEL MASTER mymaster",
                "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster",
                "SUBSCRIBE +switch-master +promoted-slave",
                "PING"});
    w.answer(0, 4, "former");
    w.answer(1, 5, "present");
    CHECK(w.addresses.empty());
    w.answer(2, 4, "former");
    CHECK(w.addresses == lines{"present:6379"});
}

TEST_CASE("hung sentinels delay a connection by the grace, and not by their number")
{
    watched w(3);
    w.answer(2, 1, "only");
    CHECK(w.addresses.empty());
    w.advance(sentinels::grace);
    CHECK(w.addresses == lines{"only:6379"});
    w.greet_master("run-1");
    CHECK(w.is_open());
    w.advance(sentinel_link::reply_limit);
    CHECK(w.link(0).is_closed);
    CHECK(w.link(1).is_closed);
    CHECK_FALSE(w.link(2).is_closed);
    w.advance(sentinel_link::interval);
    CHECK(w.connections_to(0) == 2);
    CHECK(w.is_open());
}

TEST_CASE("without an answer of any sentinel an attempt ends in time, and says what each of them said")
{
    watched w(2);
    w.link(0).end();
    w.advance(sentinel_link::reply_limit);
    REQUIRE(w.closings.size() == 1);
    CHECK(
        w.closings[0]
        == "fake: no sentinel names the master 'mymaster': sentinel-0: End of file; sentinel-1: no reply in time");
}

TEST_CASE("a process that was stopped reads the answers of sentinels before it gives them up")
{
    watched w(1);
    open_at_first(w);
    w.announce(0);
    w.masters.now += 1h;
    w.advance({});
    CHECK_FALSE(w.link(0).is_closed);
    w.name_master(0, 1, "first");
    w.advance(60ms);
    CHECK_FALSE(w.link(0).is_closed);
    CHECK(w.is_open());

    w.announce(0);
    w.masters.now += 1h;
    w.advance({});
    w.advance(60ms);
    CHECK(w.link(0).is_closed);
}

TEST_CASE("an announcement of a failover ends the connection to the former master at once")
{
    watched w(1);
    open_at_first(w);
    auto& former = *w.masters.connections.back();
    w.announce(0);
    CHECK(w.link(0).take() == question);
    w.name_master(0, 2, "second");
    CHECK(former.is_closed);
    CHECK(w.closings == lines{"fake: the sentinels name another master"});
    w.advance(1ms);
    w.name_master(0, 2, "second");  // each connection asks
    CHECK(w.addresses == lines{"first:6379", "second:6379"});
    w.greet_master("run-2");
    CHECK(w.is_open());
}

TEST_CASE("an announcement during a question leads to one more")
{
    watched w(1);
    w.announce(0);
    CHECK(w.link(0).take().empty());
    w.answer(0, 1, "first");
    CHECK(w.link(0).take() == question);
}

TEST_CASE("a lost announcement is made good by the question of each second")
{
    watched w(1);
    open_at_first(w);
    w.link(0).take();
    w.advance(sentinel_link::interval);
    CHECK(w.link(0).take() == question);
    w.name_master(0, 2, "second");
    CHECK_FALSE(w.is_open());
}

TEST_CASE("a sentinel that is behind does not end a connection")
{
    watched w(2);
    w.answer(0, 2, "second");
    w.answer(1, 2, "second");
    w.greet_master("run-2");
    w.announce(1);
    w.name_master(1, 1, "first");
    CHECK(w.is_open());
}

// ---- doubts about the master

// The pause after the answer that has named the master is over.
void open_and_settle(watched& w)
{
    open_at_first(w);
    w.advance(200ms);
    CHECK(w.questions(0) == 1);
}

TEST_CASE("a master that is silent for 250 ms while a reply is awaited is doubted")
{
    watched w(1);
    open_and_settle(w);
    probe p;
    w.submit(p);
    w.advance(249ms);
    CHECK(w.questions(0) == 0);
    w.advance(1ms);
    CHECK(w.questions(0) == 1);
    CHECK(w.is_open());
    CHECK(p.answers == 0);
}

TEST_CASE("what a silent master has not answered is unknown when the sentinels name another one")
{
    watched w(1);
    open_and_settle(w);
    probe p;
    w.submit(p);
    w.advance(250ms);
    w.name_master(0, 2, "second");
    CHECK(p.answers == 1);
    CHECK(p.outcome == engine::outcome::unknown);
    CHECK_FALSE(w.is_open());
    CHECK(w.masters.connections.front()->is_closed);
}

TEST_CASE("a master from which nothing is awaited is not doubted")
{
    watched w(1);
    open_and_settle(w);
    w.advance(750ms);  // the interval of the sentinel has not passed
    CHECK(w.questions(0) == 0);
    probe p;
    w.submit(p);
    w.masters.connections.back()->reply("1");
    REQUIRE(p.answers == 1);
    w.advance(49ms);
    CHECK(w.questions(0) == 0);
}

TEST_CASE("a master that does not answer the greeting is doubted")
{
    watched w(1);
    w.answer(0, 1, "first");
    CHECK(w.questions(0) == 1);
    w.advance(250ms);
    CHECK(w.questions(0) == 1);
    w.name_master(0, 2, "second");
    w.advance(1ms);
    w.name_master(0, 2, "second");
    CHECK(w.addresses == lines{"first:6379", "second:6379"});
}

TEST_CASE("a silence leads to a question each quarter of a second, however fast the sentinels answer")
{
    watched w(1);
    open_and_settle(w);
    probe p;
    w.submit(p);
    std::size_t all = 0;
    for (int i = 0; i != 200; ++i) {
        w.advance(10ms);
        if (auto const n = w.questions(0); n != 0) {
            all += n;
            w.name_master(0, 1, "first");
        }
    }
    CHECK(all >= 4);
    CHECK(all <= 10);
}

TEST_CASE("what replicas do not acknowledge leads to a question at once")
{
    watched w(2);
    w.answer(0, 1, "first");
    w.answer(1, 1, "first");
    w.greet_master("run-1");
    w.advance(200ms);
    w.questions(0), w.questions(1);
    w.doubt();
    CHECK(w.questions(0) == 1);
    CHECK(w.questions(1) == 1);
    CHECK(w.is_open());
    w.name_master(1, 2, "second");
    CHECK_FALSE(w.is_open());
}

TEST_CASE("doubts in a row share a question after a pause")
{
    watched w(1);
    open_and_settle(w);
    w.doubt();
    CHECK(w.questions(0) == 1);
    w.name_master(0, 1, "first");
    for (int i = 0; i != 5; ++i)
        w.doubt();
    CHECK(w.questions(0) == 0);
    w.advance(250ms);
    CHECK(w.questions(0) == 1);
    w.name_master(0, 1, "first");
    w.advance(500ms);
    CHECK(w.questions(0) == 0);
}

TEST_CASE("a doubt during the question of the interval leads to one more")
{
    watched w(1);
    open_at_first(w);
    w.advance(1s);
    CHECK(w.questions(0) == 2);
    w.doubt();
    CHECK(w.questions(0) == 0);
    w.name_master(0, 1, "first");
    CHECK(w.questions(0) == 1);
}

TEST_CASE("sentinels that do not answer a question are asked again at the next doubt")
{
    watched w(1);
    open_and_settle(w);
    w.doubt();
    CHECK(w.questions(0) == 1);
    w.advance(sentinel_link::reply_limit + 100ms);  // the schedule has given up before the link has
    REQUIRE(w.link(0).is_closed);
    w.doubt();
    REQUIRE(w.connections_to(0) == 2);
    w.answer(0, 2, "second");
    CHECK_FALSE(w.is_open());
}

TEST_CASE("nobody asks sentinels for a session that has stopped")
{
    watched w(2);
    w.answer(0, 1, "first");
    w.answer(1, 1, "first");
    w.greet_master("run-1");
    w.advance(200ms);
    w.doubt();
    w.stops_when_closed = true;
    w.name_master(0, 2, "second");
    CHECK(w.link(0).is_closed);
    CHECK(w.link(1).is_closed);
    w.advance(5s);
    CHECK(w.connections_to(0) == 1);
    CHECK(w.connections_to(1) == 1);
}

TEST_CASE("sentinels that are down do not end the connection to the master")
{
    watched w(1);
    open_at_first(w);
    w.link(0).end();
    w.advance(1s);
    REQUIRE(w.connections_to(0) == 2);
    w.link(0).end();
    w.advance(1min);
    CHECK(w.is_open());
}

TEST_CASE("a master that is a replica is not used")
{
    watched w(1);
    w.answer(0, 1, "first");
    std::vector<engine::reply> const items{
        text("id"), {engine::reply::kind::integer, 7, {}, {}}, text("role"), text("replica")};
    w.masters.connections.back()->events.lock()->on_reply({.type = engine::reply::kind::array, .items = items});
    CHECK(w.closings == lines{"fake: the sentinels name a server that is a replica"});
}

TEST_CASE("a sentinel gets its own password")
{
    watched w(1, {.has_password = true, .user = "u", .password = "p", .client_name = "me"});
    CHECK(w.link(0).take().at(0) == "HELLO 3 AUTH u p SETNAME me");
    w.link(0).error("WRONGPASS invalid username-password pair or user is disabled.");
    REQUIRE(w.closings.size() == 1);
    CHECK(w.closings[0].find("sentinel-0: WRONGPASS invalid username-password pair") != std::string::npos);
}

// ---- a provider of the credentials of the sentinels

std::string const wrong = "WRONGPASS invalid username-password pair or user is disabled.";

struct provided {
    explicit provided(std::size_t sentinels) : w(sentinels, {.client_name = "me"}, provider()) { w.turn(); }

    credentials_provider provider()
    {
        return [this](credentials_request what, credentials_handler done) {
            requests.push_back(what);
            handlers.push_back(std::move(done));
        };
    }
    void yield(std::string password, std::chrono::milliseconds valid_for = std::chrono::milliseconds::max())
    {
        handlers.back()({"me", std::move(password), valid_for});
        w.turn();
    }
    // Each of them names the first master.
    void open(std::size_t sentinels)
    {
        for (std::size_t i = 0; i != sentinels; ++i)
            w.answer(i, 1, "first");
        w.greet_master("run-1");
        REQUIRE(w.is_open());
    }
    std::string login(std::size_t sentinel) { return w.link(sentinel).take().at(0); }

    std::vector<credentials_request> requests;
    std::vector<credentials_handler> handlers;
    watched w;
};

TEST_CASE("one answer of the provider is for the connections to all sentinels", "[credentials]")
{
    provided p(3);
    REQUIRE(p.requests.size() == 1);
    CHECK_FALSE(p.requests[0].is_refused);
    CHECK(p.w.connections_to(0) == 0);
    p.yield("pw");
    for (std::size_t i = 0; i != 3; ++i)
        CHECK(p.login(i) == "HELLO 3 AUTH me pw SETNAME me");
    p.open(3);
    p.w.link(1).end();
    p.w.advance(sentinel_link::interval);
    REQUIRE(p.w.connections_to(1) == 2);
    CHECK(p.login(1) == "HELLO 3 AUTH me pw SETNAME me");
    CHECK(p.requests.size() == 1);
}

TEST_CASE("a refusal of a sentinel leads to a question that reports it", "[credentials]")
{
    provided p(2);
    p.yield("former");
    p.w.link(0).error(wrong);
    p.w.link(1).error(wrong);
    REQUIRE(p.w.closings.size() == 1);
    CHECK(p.w.closings[0].find(wrong) != std::string::npos);
    CHECK(p.requests.size() == 1);
    p.w.advance(100ms);
    REQUIRE(p.requests.size() == 2);
    CHECK(p.requests[1].is_refused);
    p.yield("present");
    CHECK(p.login(1) == "HELLO 3 AUTH me present SETNAME me");
    p.open(2);
}

TEST_CASE("a refusal by one sentinel leaves the others and the master connected", "[credentials]")
{
    provided p(2);
    p.yield("pw");
    p.w.link(0).error(wrong);
    p.w.answer(1, 1, "first");
    p.w.greet_master("run-1");
    REQUIRE(p.w.is_open());
    p.w.advance(sentinel_link::interval);
    REQUIRE(p.requests.size() == 2);
    CHECK(p.requests[1].is_refused);
    CHECK_FALSE(p.w.link(1).is_closed);

    // Its provider hangs, and the sentinel that has accepted the credentials tells of another master.
    p.w.name_master(1, 2, "second");
    p.w.advance(1ms);
    p.w.name_master(1, 2, "second");
    p.w.advance(1ms);
    CHECK(p.w.addresses == lines{"first:6379", "second:6379"});
    p.w.greet_master("run-2");
    CHECK(p.w.is_open());

    p.yield("for both");
    p.w.advance(sentinel_link::interval);
    CHECK(p.login(0) == "HELLO 3 AUTH me for both SETNAME me");
    CHECK(p.w.is_open());
}

TEST_CASE("a provider without credentials for the sentinels is asked again after growing pauses", "[credentials]")
{
    provided p(1);
    std::vector<core::duration> pauses;
    for (int i = 0; i != 8; ++i) {
        p.handlers.back()(boost::asio::error::host_not_found, {});
        p.w.turn();
        auto const began = p.w.masters.now;
        for (auto const before = p.requests.size(); p.requests.size() == before;)
            p.w.advance(1ms);
        pauses.push_back(p.w.masters.now - began);
    }
    CHECK(std::ranges::is_sorted(pauses));
    CHECK(pauses.front() == 50ms);
    CHECK(pauses.back() == 2500ms);
    CHECK(p.w.closings[0].starts_with("fake: no credentials for the sentinels: the provider failed: Host not found"));
    CHECK(p.w.connections_to(0) == 0);
    p.yield("pw");
    p.open(1);
}

TEST_CASE("before the credentials end, the living connections to sentinels are authenticated anew", "[credentials]")
{
    provided p(2);
    p.yield("pw", 10s);
    p.open(2);
    for (int i = 0; i != 8; ++i) {
        p.w.advance(1s);
        p.w.name_master(0, 1, "first");
        p.w.name_master(1, 1, "first");
    }
    REQUIRE(p.requests.size() == 2);
    CHECK_FALSE(p.requests[1].is_refused);
    p.w.link(0).take(), p.w.link(1).take();
    p.yield("next", 1h);
    for (std::size_t i = 0; i != 2; ++i)
        CHECK(p.w.link(i).take() == lines{"AUTH me next"});
    p.w.link(0).reply("OK");
    p.w.link(1).error(wrong);
    CHECK_FALSE(p.w.link(0).is_closed);
    CHECK(p.w.link(1).is_closed);
    CHECK(p.w.is_open());
    p.w.advance(sentinel_link::interval);
    REQUIRE(p.requests.size() == 3);
    CHECK(p.requests[2].is_refused);
}

TEST_CASE("no line of the log has a password of sentinels", "[credentials]")
{
    provided p(1);
    p.yield("hunter2");
    p.w.link(0).error(wrong);
    p.w.advance(1s);
    p.yield("hunter2");
    p.open(1);
    REQUIRE_FALSE(p.w.logged.empty());
    for (auto const& line : p.w.logged)
        CHECK(line.find("hunter2") == std::string::npos);
}

TEST_CASE("a sentinel that does not permit SUBSCRIBE is asked without it")
{
    watched w(1);
    w.hello(0);
    w.name_master(0, 1, "first");
    w.greet_master("run-1");
    w.link(0).error("NOPERM this user has no permissions to access one of the channels used as arguments");
    w.link(0).take();
    w.advance(sentinel_link::interval);
    REQUIRE(w.connections_to(0) == 2);
    CHECK(w.link(0).take() == lines{"HELLO 3 SETNAME me", question[0], question[1]});
    CHECK(w.is_open());
}

}  // namespace session_sentinels_test
}  // namespace holdfast::session
