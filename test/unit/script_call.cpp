//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Each transition of script_call and script_batch, as the tables in their header list them.

#include "engine/port/script_call.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engine/port/log.hpp"
#include "unit/fake_session.hpp"

namespace holdfast::engine {
namespace script_call_test {

constexpr script one{.name = "one", .text = "text of one", .sha1 = "sha1 of one"};
constexpr script all{.name = "all", .text = "text of all", .sha1 = "sha1 of all"};

answer value(std::int64_t n)
{
    return {.outcome = outcome::applied, .value = {.type = reply::kind::integer, .integer = n}};
}

answer refused(refusal why, std::string_view words = {})
{
    return {.outcome = outcome::refused, .why = why, .words = words};
}

constexpr answer no_answer{};

// A reply of several integers.
struct list_of {
    explicit list_of(std::vector<std::int64_t> const& integers)
    {
        for (auto const n : integers)
            items.push_back({.type = reply::kind::integer, .integer = n});
    }
    operator answer() const
    {
        return {.outcome = outcome::applied, .value = {.type = reply::kind::array, .items = items}};
    }

    std::vector<reply> items;
};

class call final : public batchable_call {
public:
    explicit call(std::string key, bool is_list = false)
        : batchable_call(is_list ? reply_shape::list : reply_shape::value), key_(std::move(key))
    {}

    bool wanted = true;
    session* other = nullptr;  // of the server that imports the slot
    std::vector<answer> replies;

    answer last() const { return replies.empty() ? answer{.words = "none"} : replies.back(); }

private:
    void add_to(script_words& to) const override
    {
        to.keys.push_back(key_);
        to.arguments.push_back("argument");
    }
    void submit(session& to, command& c, script_form form) override
    {
        std::string_view const keys[] = {key_};
        submit_script(to, c, one, form, keys, {});
    }
    bool is_wanted() const override { return wanted; }
    session* follow(answer const&) override { return other; }
    void on_reply(answer const& a) override { replies.push_back(a); }

    std::string const key_;
};

struct fixture {
    fake_session to;
    texts lines;
    engine::log const to_lines{[this](log_level, std::string_view line) { lines.emplace_back(line); }};
    script_batches batches{to, to_lines, "renewed", 3};
    call a{"a"}, b{"b"}, c{"c"};

    texts next() const { return to.sent.empty() ? texts{"nothing"} : to.sent.front().words; }

    void send_together()
    {
        batches.add(all, 0, a);
        batches.add(all, 0, b);
        batches.flush();
    }
};

using state = script_call::state;

texts const a_by_sha1{"EVALSHA", "sha1 of one", "1", "a"};
texts const a_by_text{"EVAL", "text of one", "1", "a"};
texts const b_by_sha1{"EVALSHA", "sha1 of one", "1", "b"};
texts const b_by_text{"EVAL", "text of one", "1", "b"};
texts const both_by_sha1{"EVALSHA", "sha1 of all", "2", "a", "b", "argument", "argument"};
texts const both_by_text{"EVAL", "text of all", "2", "a", "b", "argument", "argument"};

// ---- a call alone

TEST_CASE("a call is sent by its SHA1 and receives the reply", "[script_call]")
{
    fixture r;
    CHECK(r.a.current_state() == state::idle);
    r.a.send(r.to);
    CHECK(r.a.current_state() == state::by_sha1);
    CHECK(r.next() == a_by_sha1);
    r.to.answer_next(value(7));
    CHECK(r.a.current_state() == state::idle);
    CHECK(r.a.last().value.integer == 7);
}

TEST_CASE("after NOSCRIPT a call that is still wanted is sent by its text", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.current_state() == state::by_text);
    CHECK(r.next() == a_by_text);
    CHECK(r.a.replies.empty());
    r.to.answer_next(value(7));
    CHECK(r.a.current_state() == state::idle);
    CHECK(r.a.last().value.integer == 7);
}

TEST_CASE("after NOSCRIPT a call that is no longer wanted ends with that refusal", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.a.wanted = false;
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.current_state() == state::idle);
    CHECK(r.a.last().why == refusal::no_script);
    CHECK(r.to.sent.empty());
}

TEST_CASE("after NOSCRIPT nothing is sent to a session that is not open", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.to.open = false;
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.last().why == refusal::no_script);
    CHECK(r.to.sent.empty());
}

TEST_CASE("of several calls that get NOSCRIPT the first sends the text, the others go behind it", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.b.send(r.to);
    r.c.send(r.to);
    r.c.wanted = false;
    for (int i = 0; i != 3; ++i)
        r.to.answer_next(refused(refusal::no_script));
    REQUIRE(r.to.sent.size() == 2);
    CHECK(r.to.sent[0].words == a_by_text);
    CHECK(r.to.sent[1].words == b_by_sha1);
    CHECK(r.b.current_state() == state::by_sha1);
    CHECK(r.c.last().why == refusal::no_script);
    r.to.answer_next(value(7));
    r.to.answer_next(value(8));
    CHECK(r.b.last().value.integer == 8);
}

TEST_CASE("the next call sends the text if the first one has left, or the server has refused its text", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.b.send(r.to);
    r.c.send(r.to);
    r.a.wanted = false;
    for (int i = 0; i != 3; ++i)
        r.to.answer_next(refused(refusal::no_script));
    CHECK(r.to.sent[0].words == b_by_text);
    r.to.answer_next(refused(refusal::not_permitted));
    CHECK(r.b.last().why == refusal::not_permitted);
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.c.current_state() == state::by_text);
    r.to.answer_next(value(9));
    CHECK(r.c.last().value.integer == 9);
}

TEST_CASE("a call of a new epoch does not count on a text of the last one", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.to.answer_next(refused(refusal::no_script));
    r.to.answer_next(no_answer);
    r.to.cache.on_open();
    r.b.send(r.to);
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.next() == b_by_text);
}

TEST_CASE("of several batches that get NOSCRIPT the first sends the text", "[script_call]")
{
    fixture r;
    call d("d");
    r.send_together();
    r.batches.add(all, 0, r.c);
    r.batches.add(all, 0, d);
    r.batches.flush();
    r.to.answer_next(refused(refusal::no_script));
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.next() == both_by_text);
    CHECK(r.to.sent[1].words == texts{"EVALSHA", "sha1 of all", "2", "c", "d", "argument", "argument"});
    r.to.answer_next(list_of({1, 2}));
    r.to.answer_next(list_of({3, 4}));
    CHECK(d.last().value.integer == 4);
}

TEST_CASE("a call ends when its text gets NOSCRIPT, when it is refused, and when it is not answered", "[script_call]")
{
    fixture r;
    r.a.send(r.to);
    r.to.answer_next(refused(refusal::no_script));
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.last().why == refusal::no_script);

    r.a.send(r.to);
    r.to.answer_next(refused(refusal::not_permitted));
    CHECK(r.a.last().why == refusal::not_permitted);

    r.a.send(r.to);
    r.to.answer_next(no_answer);
    CHECK(r.a.last().outcome == outcome::unknown);
    CHECK(r.a.current_state() == state::idle);
    CHECK(r.to.sent.empty());
}

TEST_CASE("a call whose script replies with a list receives its only element", "[script_call]")
{
    fixture r;
    call d("d", true);
    d.send(r.to);
    r.to.answer_next(list_of({7}));
    CHECK(d.last().value.integer == 7);
    list_of const none({}), two({7, 8});
    for (answer const& odd : {value(7), answer(none), answer(two)}) {
        d.send(r.to);
        r.to.answer_next(odd);
        CHECK(d.last().outcome == outcome::unknown);
    }
}

// ---- a batch

TEST_CASE("gathered calls are sent as one command, and each receives its part of the reply", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    CHECK(r.a.current_state() == state::batched);
    CHECK(r.batches.is_gathering());
    r.batches.add(all, 0, r.b);
    CHECK(r.to.sent.empty());
    r.batches.flush();
    CHECK_FALSE(r.batches.is_gathering());
    CHECK(r.next() == both_by_sha1);
    r.to.answer_next(list_of({1, 2}));
    CHECK(r.a.last().value.integer == 1);
    CHECK(r.b.last().value.integer == 2);
    CHECK(r.a.current_state() == state::idle);
}

TEST_CASE("a batch with one call is sent as that call alone", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    r.batches.flush();
    CHECK(r.next() == a_by_sha1);
    CHECK(r.a.current_state() == state::by_sha1);
}

TEST_CASE("a full batch is sent at once", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    r.batches.add(all, 0, r.b);
    r.batches.add(all, 0, r.c);
    CHECK(r.to.sent.size() == 1);
    CHECK_FALSE(r.batches.is_gathering());
}

TEST_CASE("each script has a batch of its own", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    r.batches.add(one, 0, r.b);
    r.batches.flush_if(0, [&](auto const& c) { return &c == &r.b; });
    CHECK(r.to.sent.size() == 1);
    CHECK(r.next() == b_by_sha1);
    r.batches.flush();
    CHECK(r.to.sent.size() == 2);
}

TEST_CASE("calls that are gathered when the connection is lost end as refused", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    r.batches.on_closed();
    CHECK(r.a.last().why == refusal::not_now);
    CHECK(r.a.current_state() == state::idle);
    CHECK(r.to.sent.empty());
}

TEST_CASE("after NOSCRIPT a batch is sent by its text", "[script_call]")
{
    fixture r;
    r.send_together();
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.next() == both_by_text);
    r.to.answer_next(list_of({1, 2}));
    CHECK(r.b.last().value.integer == 2);
    CHECK(r.batches.are_allowed());
}

TEST_CASE("after NOSCRIPT a batch is sent by its text for the calls that are still wanted", "[script_call]")
{
    fixture r;
    r.send_together();
    r.a.wanted = false;
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.last().why == refusal::no_script);
    CHECK(r.next() == texts{"EVAL", "text of all", "1", "b", "argument"});
    r.to.answer_next(list_of({2}));
    CHECK(r.b.last().value.integer == 2);
    CHECK(r.a.replies.size() == 1);
}

TEST_CASE("after NOSCRIPT a batch ends if no call is still wanted or the session is not open", "[script_call]")
{
    fixture r;
    r.send_together();
    r.a.wanted = r.b.wanted = false;
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.last().why == refusal::no_script);
    CHECK(r.b.last().why == refusal::no_script);

    r.a.wanted = r.b.wanted = true;
    r.send_together();
    r.to.open = false;
    r.to.answer_next(refused(refusal::no_script));
    CHECK(r.a.replies.size() == 2);
    CHECK(r.b.last().why == refusal::no_script);
    CHECK(r.to.sent.empty());
}

TEST_CASE("a batch that is refused because of one of its calls is sent again, call by call", "[script_call]")
{
    for (auto const why : {refusal::not_permitted, refusal::wrong_type, refusal::other}) {
        fixture r;
        r.send_together();
        r.to.answer_next(refused(why, "CROSSSLOT Keys in request don't hash to the same slot"));
        CHECK(r.a.replies.empty());
        REQUIRE(r.to.sent.size() == 2);
        CHECK(r.next() == a_by_sha1);
        r.to.answer_next(value(1));
        CHECK(r.next() == b_by_sha1);
        r.to.answer_next(refused(refusal::not_permitted));
        CHECK(r.a.last().value.integer == 1);
        CHECK(r.b.last().why == refusal::not_permitted);
    }
}

TEST_CASE("after the refusal of a batch's text only the calls that are still wanted are sent alone", "[script_call]")
{
    fixture r;
    r.send_together();
    r.to.answer_next(refused(refusal::no_script));
    r.b.wanted = false;
    r.to.answer_next(refused(refusal::not_permitted));
    CHECK(r.next() == a_by_sha1);
    CHECK(r.to.sent.size() == 1);
    CHECK(r.b.last().why == refusal::no_script);
}

TEST_CASE("after a refused batch each call is sent alone until the next epoch, and one line is logged", "[script_call]")
{
    fixture r;
    r.send_together();
    r.to.answer_next(refused(refusal::unsupported, "CROSSSLOT"));
    r.to.answer_next(value(1));
    r.to.answer_next(value(1));
    CHECK_FALSE(r.batches.are_allowed());
    CHECK(r.lines == texts{"several locks cannot be renewed by one script, so each is renewed alone: CROSSSLOT"});

    r.batches.add(all, 0, r.a);
    CHECK(r.next() == a_by_sha1);
    CHECK_FALSE(r.batches.is_gathering());
    r.to.answer_next(value(1));

    r.batches.on_open();
    r.send_together();
    CHECK(r.next() == both_by_sha1);
}

TEST_CASE("the refusal of two batches under way is logged once", "[script_call]")
{
    fixture r;
    r.batches.add(all, 0, r.a);
    r.batches.add(all, 0, r.b);
    r.batches.flush();
    call d("d");
    r.batches.add(all, 0, r.c);
    r.batches.add(all, 0, d);
    r.batches.flush();
    r.to.answer_next(refused(refusal::unsupported, "CROSSSLOT"));
    r.to.answer_next(refused(refusal::unsupported, "CROSSSLOT"));
    CHECK(r.lines.size() == 1);
    CHECK(r.to.sent.size() == 4);
}

TEST_CASE(
    "a refusal because of the server's state ends each call of a batch, and batches stay allowed", "[script_call]")
{
    for (auto const why : {refusal::not_now, refusal::out_of_resources, refusal::read_only}) {
        fixture r;
        r.send_together();
        r.to.answer_next(refused(why));
        CHECK(r.a.last().why == why);
        CHECK(r.b.last().why == why);
        CHECK(r.to.sent.empty());
        CHECK(r.batches.are_allowed());
    }
}

TEST_CASE("each call of a batch without an answer ends as unknown", "[script_call]")
{
    fixture r;
    r.send_together();
    r.to.answer_next(no_answer);
    CHECK(r.a.last().outcome == outcome::unknown);
    CHECK(r.b.last().outcome == outcome::unknown);
    CHECK(r.batches.are_allowed());
}

TEST_CASE(
    "after a reply of a wrong shape each call ends as unknown, and batches are no longer allowed", "[script_call]")
{
    list_of const too_few({1}), too_many({1, 2, 3});
    for (answer const& odd : {value(7), answer(too_few), answer(too_many)}) {
        fixture r;
        r.send_together();
        r.to.answer_next(odd);
        CHECK(r.a.last().outcome == outcome::unknown);
        CHECK(r.b.last().outcome == outcome::unknown);
        CHECK(r.to.sent.empty());
        CHECK_FALSE(r.batches.are_allowed());
    }
}

// ---- hash slots

TEST_CASE("a server with hash slots gets a batch for each slot", "[script_call][cluster]")
{
    fixture r;
    r.to.identity_of_server.slots = slot_coverage::all;
    call d("d");
    r.batches.add(all, 0, r.a);
    r.batches.add(all, 5, r.b);
    r.batches.add(all, 0, r.c);
    r.batches.add(all, 5, d);
    r.batches.flush();
    REQUIRE(r.to.sent.size() == 2);
    CHECK(r.to.sent[0].words == texts{"EVALSHA", "sha1 of all", "2", "a", "c", "argument", "argument"});
    CHECK(r.to.sent[1].words == texts{"EVALSHA", "sha1 of all", "2", "b", "d", "argument", "argument"});
    CHECK_FALSE(r.batches.is_gathering());
}

TEST_CASE("a server without hash slots gets one batch for the calls of all slots", "[script_call][cluster]")
{
    fixture r;
    r.batches.add(all, 7, r.a);
    r.batches.add(all, 5, r.b);
    r.batches.flush();
    CHECK(r.next() == both_by_sha1);
    CHECK(r.to.sent.size() == 1);
}

TEST_CASE("flush_if() sends only batches of the slot that it is asked for", "[script_call][cluster]")
{
    fixture r;
    r.to.identity_of_server.slots = slot_coverage::all;
    r.batches.add(all, 5, r.a);
    r.batches.add(all, 6, r.b);
    auto const any = [](auto const&) { return true; };
    r.batches.flush_if(4, any);
    CHECK(r.to.sent.empty());
    r.batches.flush_if(5, any);
    CHECK(r.to.sent.size() == 1);
    CHECK(r.next() == a_by_sha1);
    CHECK(r.batches.is_gathering());
    r.batches.flush();
    CHECK(r.to.sent.size() == 2);
}

TEST_CASE("MOVED and ASK in place of a batch's reply end each call, and batches stay allowed", "[script_call][cluster]")
{
    for (auto const why : {refusal::moved, refusal::ask}) {
        fixture r;
        r.send_together();
        r.to.answer_next(refused(why));
        CHECK(r.a.last().why == why);
        CHECK(r.b.last().why == why);
        CHECK(r.to.sent.empty());
        CHECK(r.batches.are_allowed());
    }
}

// ---- a slot that is moved key by key

struct open_slot : fixture {
    open_slot() { a.other = b.other = &destination; }

    fake_session destination;
};

TEST_CASE_METHOD(open_slot, "after ASK a call is sent by its text to the other server, once", "[script_call][cluster]")
{
    a.send(to);
    to.answer_next(refused(refusal::asked));
    CHECK(a.current_state() == state::asks_by_text);
    REQUIRE(destination.sent.size() == 2);
    CHECK(destination.sent[0].words == texts{"ASKING"});
    CHECK(destination.sent[1].words == a_by_text);
    destination.answer_next(value(1));  // to ASKING
    destination.answer_next(refused(refusal::asked));
    CHECK(a.last().why == refusal::asked);
    CHECK(a.current_state() == state::idle);
}

TEST_CASE_METHOD(
    open_slot, "after ASK the other server gets a text once, and again when it has lost it", "[script_call][cluster]")
{
    for (auto* c : {&a, &b, &this->c}) {
        c->other = &destination;
        c->send(to);
        to.answer_next(refused(refusal::asked));
    }
    REQUIRE(destination.sent.size() == 6);
    CHECK(destination.sent[1].words == a_by_text);
    CHECK(destination.sent[3].words == b_by_sha1);
    CHECK(b.current_state() == state::asks_by_sha1);
    for (int i = 0; i != 2; ++i)
        destination.answer_next(value(1));
    for (int i = 0; i != 2; ++i) {
        destination.answer_next(value(1));  // to ASKING
        destination.answer_next(refused(refusal::no_script));
    }
    REQUIRE(destination.sent.size() == 4);
    CHECK(destination.sent[0].words == texts{"ASKING"});
    CHECK(destination.sent[1].words == b_by_text);
    CHECK(destination.sent[2].words == texts{"ASKING"});
    CHECK(destination.sent[3].words == texts{"EVALSHA", "sha1 of one", "1", "c"});
    b.wanted = false;
    destination.answer_next(value(1));
    destination.answer_next(refused(refusal::no_script));
    CHECK(b.last().why == refusal::no_script);
    CHECK(to.sent.empty());
}

TEST_CASE_METHOD(
    open_slot, "after ASK in place of a reply to its text a call is sent to the other server", "[script_call][cluster]")
{
    a.send(to);
    to.answer_next(refused(refusal::no_script));
    to.answer_next(refused(refusal::asked));
    destination.answer_next(value(1));
    destination.answer_next(value(7));
    CHECK(a.last().value.integer == 7);
}

TEST_CASE_METHOD(
    open_slot, "ASK ends a call that is not wanted any more, or has no other server", "[script_call][cluster]")
{
    a.send(to);
    a.wanted = false;
    to.answer_next(refused(refusal::asked));
    CHECK(a.last().why == refusal::asked);
    b.other = nullptr;
    b.send(to);
    to.answer_next(refused(refusal::asked));
    CHECK(b.last().why == refusal::asked);
    CHECK(destination.sent.empty());
}

TEST_CASE_METHOD(
    open_slot,
    "a batch in a slot that is moved key by key is sent call by call, and batches stay allowed",
    "[script_call][cluster]")
{
    for (auto const why : {refusal::asked, refusal::try_again}) {
        send_together();
        to.answer_next(refused(why));
        CHECK(next() == a_by_sha1);
        to.answer_next(value(1));
        CHECK(next() == b_by_sha1);
        to.answer_next(value(1));
        CHECK(batches.are_allowed());
        CHECK(lines.empty());
    }
}

TEST_CASE("a call may be sent again while it receives its reply", "[script_call]")
{
    struct again final : batchable_call {
        explicit again(fake_session& s) : to(s) {}
        void add_to(script_words& w) const override { w.keys.push_back("k"); }
        void submit(session& s, command& c, script_form f) override { submit_script(s, c, one, f, {}, {}); }
        bool is_wanted() const override { return true; }
        void on_reply(answer const&) override
        {
            if (++count < 3)
                send(to);
        }
        fake_session& to;
        int count = 0;
    };
    fixture r;
    again g(r.to);
    r.batches.add(all, 0, g);
    r.batches.add(all, 0, r.a);
    r.batches.flush();
    r.to.answer_next(list_of({1, 1}));
    r.to.answer_next(value(1));
    r.to.answer_next(value(1));
    CHECK(g.count == 3);
    CHECK_FALSE(g.is_under_way());
}

TEST_CASE("batches that are stopped complete none of their calls", "[script_call]")
{
    fixture r;
    r.send_together();
    r.batches.add(all, 0, r.c);
    r.batches.stop();
    CHECK(r.a.replies.empty());
    CHECK(r.c.replies.empty());
    CHECK_FALSE(r.batches.is_gathering());
}

}  // namespace script_call_test
}  // namespace holdfast::engine
