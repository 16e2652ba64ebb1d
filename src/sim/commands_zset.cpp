//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/command_words.hpp"

namespace holdfast::simulated {
namespace {

using member = std::pair<double, std::string>;

// A linear search: the sorted sets of a fair lock have a member for each waiter, which are few in a test.
auto locate(zset_value& z, std::string_view name)
{
    return std::find_if(z.members.begin(), z.members.end(), [&](member const& m) { return m.second == name; });
}

// Precondition: the member is not in the set. A pair is ordered by its score, then by its name, as in Redis.
void insert(zset_value& z, double score, std::string_view name)
{
    member fresh(score, name);
    z.members.insert(std::lower_bound(z.members.begin(), z.members.end(), fresh), std::move(fresh));
}

// The options of ZADD, under the names of Redis.
struct add_options {
    bool nx = false, xx = false, gt = false, lt = false, ch = false, incr = false;
};

// Returns the number of words that are options. The first other word is a score.
std::size_t parse_add(words args, add_options& to)
{
    std::size_t i = 2;
    for (; i != args.size(); ++i) {
        auto const word = args[i];
        bool* const flag = same_word(word, "NX")     ? &to.nx
                           : same_word(word, "XX")   ? &to.xx
                           : same_word(word, "GT")   ? &to.gt
                           : same_word(word, "LT")   ? &to.lt
                           : same_word(word, "CH")   ? &to.ch
                           : same_word(word, "INCR") ? &to.incr
                                                     : nullptr;
        if (!flag)
            break;
        *flag = true;
    }
    return i - 2;
}

// An error reply for options that exclude each other; nil: they are valid.
value check(add_options const& o, std::size_t pairs)
{
    if (o.nx && o.xx)
        return error("ERR XX and NX options at the same time are not compatible");
    if ((o.gt && o.nx) || (o.lt && o.nx) || (o.gt && o.lt))
        return error("ERR GT, LT, and/or NX options at the same time are not compatible");
    if (o.incr && pairs > 1)
        return error("ERR INCR option supports a single increment-element pair");
    return {};
}

struct added {
    std::int64_t fresh = 0;
    std::int64_t changed = 0;  // with the new ones: the reply with CH
    value score = {};          // of the last member, nil if it was not changed: the reply with INCR
};

// False: the sum of two infinite scores is not a number. A member that the options exclude is skipped without an error.
bool add_one(zset_value& z, add_options const& o, double score, std::string_view name, added& sum)
{
    auto const at = locate(z, name);
    bool const is_new = at == z.members.end();
    sum.score = nil();  // until the member has a new score: the options may exclude it
    if (is_new ? o.xx : o.nx)
        return true;
    if (!is_new && o.incr)
        score += at->first;
    if (std::isnan(score))
        return false;
    if (!is_new && ((o.gt && score <= at->first) || (o.lt && score >= at->first)))
        return true;
    // A member with a new score gets a new place in the order, so it is removed and inserted again.
    bool const moved = is_new || score != at->first;
    if (!is_new && moved)
        z.members.erase(at);
    if (moved)
        insert(z, score, name);
    sum.fresh += is_new;
    sum.changed += moved;
    sum.score = bulk(from_score(score));
    return true;
}

value add(call& c, add_options const& o, words pairs)
{
    // All scores are parsed before the first change: a command that fails changes nothing.
    for (std::size_t i = 0; i != pairs.size(); i += 2)
        if (!to_score(pairs[i]))
            return not_a_float();
    auto const found = find_typed<zset_value>(c.keys, c.args[1]);
    if (found.wrong)
        return wrong_type();
    // XX adds no member: make_typed() would leave an empty set.
    if (!found.data && o.xx)
        return o.incr ? nil() : of(0);
    auto& z = *make_typed<zset_value>(c.keys, c.args[1]).data;
    added sum;
    // Only INCR adds two scores, and it has one pair: when the sum is not a number, no other pair was changed before.
    for (std::size_t i = 0; i != pairs.size(); i += 2)
        if (!add_one(z, o, *to_score(pairs[i]), pairs[i + 1], sum))
            return error("ERR resulting score is not a number (NaN)");
    return o.incr ? sum.score : of(o.ch ? sum.changed : sum.fresh);
}

value run_zadd(call& c)
{
    add_options options;
    auto const pairs = c.args.subspan(2 + parse_add(c.args, options));
    if (pairs.empty() || pairs.size() % 2 != 0)
        return syntax_error();
    auto wrong = check(options, pairs.size() / 2);
    return wrong.is_error() ? wrong : add(c, options, pairs);
}

// The same as ZADD with INCR. The table fixes the number of words, so there is one pair.
value run_zincrby(call& c)
{
    return add(c, {.incr = true}, c.args.subspan(2));
}

value run_zscore(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : nil();
    auto const found = locate(*at.data, c.args[2]);
    return found == at.data->members.end() ? nil() : bulk(from_score(found->first));
}

// A missing key counts as a sorted set without members: the reply has a nil for each name.
value run_zmscore(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    zset_value none;
    auto& z = at.data ? *at.data : none;
    std::vector<value> all;
    for (auto const name : c.args.subspan(2)) {
        auto const found = locate(z, name);
        all.push_back(found == z.members.end() ? nil() : bulk(from_score(found->first)));
    }
    return array(std::move(all));
}

// The members are kept in order, so the rank is the position.
value run_zrank(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : nil();
    auto const found = locate(*at.data, c.args[2]);
    return found == at.data->members.end() ? nil() : of(found - at.data->members.begin());
}

value run_zcard(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    return at.wrong ? wrong_type() : of(at.data ? std::int64_t(at.data->members.size()) : 0);
}

value run_zrem(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : of(0);
    std::int64_t removed = 0;
    for (auto const name : c.args.subspan(2))
        removed += std::int64_t(std::erase_if(at.data->members, [&](member const& m) { return m.second == name; }));
    // Redis deletes a sorted set with its last member.
    if (at.data->members.empty())
        c.keys.erase(c.args[1]);
    return of(removed);
}

// Names and scores alternate in one list, as a script receives them.
value reply_with(std::vector<member> const& members, bool scores)
{
    std::vector<value> all;
    for (auto const& [score, name] : members) {
        all.push_back(bulk(name));
        if (scores)
            all.push_back(bulk(from_score(score)));
    }
    return array(std::move(all));
}

// One end of a range of scores. A "(" before the number excludes the number itself.
struct bound {
    double at;
    bool open;
};

std::optional<bound> to_bound(std::string_view s)
{
    bool const open = s.starts_with('(');
    auto const at = to_score(open ? s.substr(1) : s);
    return at ? std::optional<bound>({*at, open}) : std::nullopt;
}

bool within(double score, bound low, bound high)
{
    return (low.open ? score > low.at : score >= low.at) && (high.open ? score < high.at : score <= high.at);
}

struct range_options {
    bool by_score = false, reverse = false, scores = false;
    std::int64_t skip = 0, most = -1;  // a negative `most`: all
};

value parse_range(words args, std::size_t from, range_options& to)
{
    bool limited = false;
    for (auto i = from; i < args.size(); ++i) {
        if (same_word(args[i], "BYSCORE"))
            to.by_score = true;
        else if (same_word(args[i], "REV"))
            to.reverse = true;
        else if (same_word(args[i], "WITHSCORES"))
            to.scores = true;
        else if (same_word(args[i], "LIMIT") && i + 2 < args.size()) {
            auto const skip = to_integer(args[i + 1]);
            auto const most = to_integer(args[i + 2]);
            if (!skip || !most)
                return not_an_integer();
            to.skip = *skip, to.most = *most, limited = true, i += 2;
        } else
            return syntax_error();
    }
    if (limited && !to.by_score)
        return error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return {};
}

// Redis parses the bounds first, in both kinds of range: with an invalid bound, even a missing key leads to an error.
value range_by_score(call& c, range_options const& o)
{
    // With REV the command has the higher end first.
    auto const low = to_bound(c.args[o.reverse ? 3 : 2]);
    auto const high = to_bound(c.args[o.reverse ? 2 : 3]);
    if (!low || !high)
        return error("ERR min or max is not a float");
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    std::vector<member> found;
    for (auto const& m : at.data ? at.data->members : std::vector<member>{})
        if (within(m.first, *low, *high))
            found.push_back(m);
    if (o.reverse)
        std::reverse(found.begin(), found.end());
    // A negative offset makes the range empty, as in Redis.
    auto const skip = o.skip < 0 ? found.size() : std::min(std::size_t(o.skip), found.size());
    found.erase(found.begin(), found.begin() + std::ptrdiff_t(skip));
    if (o.most >= 0 && std::size_t(o.most) < found.size())
        found.resize(std::size_t(o.most));
    return reply_with(found, o.scores);
}

value range_by_rank(call& c, range_options const& o)
{
    auto const first = to_integer(c.args[2]);
    auto const last = to_integer(c.args[3]);
    if (!first || !last)
        return not_an_integer();
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    auto all = at.data ? at.data->members : std::vector<member>{};
    if (o.reverse)
        std::reverse(all.begin(), all.end());
    auto const r = clip(*first, *last, all.size());
    return r.empty() ? array({}) : reply_with({all.begin() + r.first, all.begin() + r.last + 1}, o.scores);
}

value run_zrange(call& c)
{
    range_options options;
    if (auto wrong = parse_range(c.args, 4, options); wrong.is_error())
        return wrong;
    return options.by_score ? range_by_score(c, options) : range_by_rank(c, options);
}

value run_zscan(call& c)
{
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong)
        return wrong_type();
    return scan(c, at.data ? at.data->members.size() : 0, [&](std::size_t i) -> std::array<std::string, 2> {
        auto const& [score, name] = at.data->members[i];
        return {name, from_score(score)};
    });
}

value run_zrangebyscore(call& c)
{
    range_options options{.by_score = true};
    if (auto wrong = parse_range(c.args, 4, options); wrong.is_error())
        return wrong;
    return range_by_score(c, options);
}

// Without scores the reply has one item for each member.
value run_zcount(call& c)
{
    auto const found = range_by_score(c, {});
    return found.is_error() ? found : of(std::int64_t(found.items.size()));
}

value run_zremrangebyscore(call& c)
{
    auto const low = to_bound(c.args[2]);
    auto const high = to_bound(c.args[3]);
    if (!low || !high)
        return error("ERR min or max is not a float");
    auto const at = find_typed<zset_value>(c.keys, c.args[1]);
    if (at.wrong || !at.data)
        return at.wrong ? wrong_type() : of(0);
    auto const removed = std::erase_if(at.data->members, [&](member const& m) { return within(m.first, *low, *high); });
    // As in run_zrem(). fair_leave.lua checks with EXISTS whether a sorted set has members.
    if (at.data->members.empty())
        c.keys.erase(c.args[1]);
    return of(std::int64_t(removed));
}

constexpr auto store = trait::writes | trait::grows | trait::keyed;
// Only removes, so it is permitted when out of memory. ZADD is not, even for a member that exists: fair_refresh.lua
// must write something else before it.
constexpr auto cut = trait::writes | trait::keyed;

constexpr std::array table{
    command_spec{"zadd", -4, store, run_zadd},
    command_spec{"zincrby", 4, store, run_zincrby},
    command_spec{"zscore", 3, trait::keyed, run_zscore},
    command_spec{"zmscore", -3, trait::keyed, run_zmscore},
    command_spec{"zrank", 3, trait::keyed, run_zrank},
    command_spec{"zcard", 2, trait::keyed, run_zcard},
    command_spec{"zcount", 4, trait::keyed, run_zcount},
    command_spec{"zrem", -3, cut, run_zrem},
    command_spec{"zrange", -4, trait::keyed, run_zrange},
    command_spec{"zrangebyscore", -4, trait::keyed, run_zrangebyscore},
    command_spec{"zremrangebyscore", 4, cut, run_zremrangebyscore},
    command_spec{"zscan", -3, trait::keyed, run_zscan},
};

}  // namespace

std::span<command_spec const> zset_commands()
{
    return table;
}

}  // namespace holdfast::simulated
