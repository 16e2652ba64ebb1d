//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/sentinel_link.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/backoff.hpp"
#include "session/words.hpp"

namespace holdfast::session {
namespace {

// The one that leads a failover names the new master from +promoted-slave on, the others from +switch-master on.
constexpr std::array<std::string_view, 3> subscription{"SUBSCRIBE", "+switch-master", "+promoted-slave"};
constexpr std::array<std::string_view, 1> guard{"PING"};

// In the map of SENTINEL MASTER, a list of keys and values in turn. 0: not found.
std::int64_t epoch_of(engine::reply const& map)
{
    std::int64_t epoch = 0;
    for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
        auto const& value = map.items[i + 1].text;
        if (map.items[i].text == "config-epoch")
            std::from_chars(value.data(), value.data() + value.size(), epoch);
    }
    return epoch;
}

std::optional<master_address> address_of(engine::reply const& r)
{
    if (r.type != engine::reply::kind::array || r.items.size() != 2 || r.items[0].text.empty())
        return std::nullopt;
    auto const port = r.items[1].text;
    master_address a{std::string(r.items[0].text), 0};
    auto const end = port.data() + port.size();
    if (auto const parsed = std::from_chars(port.data(), end, a.port); parsed.ec != std::errc() || parsed.ptr != end)
        return std::nullopt;
    return a;
}

}  // namespace

sentinel_link::sentinel_link(
    sentinel_place p, client_login const& login, std::string const& master_name, following_session& s, listener& l)
    : place_(std::move(p)), login_(login), master_name_(master_name), session_(s), listener_(l)
{}

void sentinel_link::stop() noexcept
{
    state_ = state::closed;
    session_.disarm(*this);
    awaited_.clear();
    if (auto const c = std::exchange(connection_, nullptr))
        c->close();
}

// The connection is written to last: a transport in memory may have the replies at once, or end.
void sentinel_link::ask()
{
    if (state_ == state::asked)
        return;
    if (state_ == state::closed && !listener_.may_connect())
        return session_.arm(*this, session_.now() + interval);
    bool const is_new = std::exchange(state_, state::asked) == state::closed;
    session_.arm(*this, session_.now() + reply_limit);
    if (is_new)
        connect();
    send_question();
    if (is_new && may_subscribe_)
        subscribe();
    auto const c = connection_;
    c->flush();
}

void sentinel_link::connect()
{
    connection_ = place_.to->connect(std::shared_ptr<connection_events>(session_.keep(), this));
    connection_->send(hello_words(login_));
    awaited_.push_back(awaited::hello);
}

// The epoch first: if a failover ends between the two, the new address has the former epoch, and the next answer
// corrects it. In the other order the former master would have the new epoch, and would win.
void sentinel_link::send_question()
{
    asks_again_ = false;
    epoch_ = 0;
    connection_->send(std::array<std::string_view, 3>{"SENTINEL", "MASTER", master_name_});
    connection_->send(std::array<std::string_view, 3>{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_name_});
    awaited_.insert(awaited_.end(), {awaited::epoch, awaited::address});
}

// An error in place of the subscription, which has no reply, comes before that of the guard (rule 10).
void sentinel_link::subscribe()
{
    connection_->send(subscription);
    connection_->send(guard);
    awaited_.push_back(awaited::guard);
}

void sentinel_link::authenticate()
{
    auto const c = connection_;
    if (!c)
        return;
    auto const user = login_.user.empty() ? std::string_view("default") : login_.user;
    c->send(std::array<std::string_view, 3>{"AUTH", user, login_.password});
    awaited_.push_back(awaited::auth);
    c->flush();
}

void sentinel_link::on_reply(engine::reply const& r)
{
    if (awaited_.empty())
        return fail("a reply without a command");
    auto const what = awaited_.front();
    awaited_.pop_front();
    switch (what) {
        case awaited::hello: return listener_.on_greeted();
        case awaited::auth: return;
        case awaited::epoch: epoch_ = epoch_of(r); return;
        case awaited::address: return on_address(r);
        case awaited::guard: break;
    }
    if (r.text != "PONG")
        fail("the reply to the subscription makes no sense");
}

// Without the right to SENTINEL MASTER all answers have the epoch 0. It is refused for an unknown name, too: the reply
// to the next command says so.
void sentinel_link::on_error(std::string_view words)
{
    auto const what = awaited_.empty() ? awaited::hello : awaited_.front();
    if (what == awaited::guard)
        may_subscribe_ = false;
    if (what != awaited::epoch || words.starts_with("NOAUTH"))
        return fail(words);
    awaited_.pop_front();
}

void sentinel_link::on_address(engine::reply const& r)
{
    state_ = state::answered;
    session_.arm(*this, session_.now() + interval - core::jitter(interval / 5, session_.random()));
    auto const address = address_of(r);
    failure_ = address ? "" : "it does not know the master";
    if (address)
        listener_.on_answer(*this, {epoch_, *address});
    else
        listener_.on_failure(*this);
    if (asks_again_ && state_ == state::answered)
        ask();
}

void sentinel_link::ask_anew()
{
    asks_again_ = true;
    ask();
}

void sentinel_link::on_message(std::string_view)
{
    ask_anew();
}

void sentinel_link::on_ended(ending const& e)
{
    fail(e.words);
}

void sentinel_link::on_due(core::instant now)
{
    auto const self = session_.keep();
    if (state_ != state::asked)
        return ask();
    auto const again = look_.after(due(), now);
    again == now ? fail("no reply in time") : session_.arm(*this, again);
}

void sentinel_link::fail(std::string_view why)
{
    failure_ = printable(why);
    stop();
    session_.arm(*this, session_.now() + interval);
    listener_.on_failure(*this);
}

}  // namespace holdfast::session
