//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/server_query.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/hash_slot.hpp"
#include "operations/derived_names.hpp"
#include "operations/lockless_query.hpp"

namespace holdfast::detail {
namespace {

class info_query final : public lockless_query<std::string> {
public:
    info_query(handler_type h, std::shared_ptr<client_state> const& home, std::uint16_t slot)
        : lockless_query(std::move(h), home, slot)
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        to.submit(*this, std::array<std::string_view, 1>{"INFO"});
    }
    std::string read(engine::reply const& r) override { return std::string(r.text); }
};

class primaries_query final : public operation<engine::request, std::vector<primary_part>> {
public:
    primaries_query(handler_type h, std::shared_ptr<client_state> const& home, std::vector<std::string> names)
        : operation(std::move(h), home), names_(std::move(names))
    {}

private:
    void begin(engine::client_engine& c) override
    {
        auto const* const r = c.runtime().router();
        std::vector<primary_part> parts;
        for (auto const slot : r ? r->slot_of_each() : std::vector<std::uint16_t>{0})
            parts.push_back({slot, {}});
        for (auto& name : names_) {
            auto const slot = core::hash_slot(name);
            auto const has_it = [&](primary_part const& p) { return !r || r->have_same_primary(p.slot, slot); };
            if (auto const at = std::ranges::find_if(parts, has_it); at != parts.end())
                at->names.push_back(std::move(name));
        }
        finish({}, std::move(parts));
    }
    void cancel(engine::client_engine&) override {}  // it is complete when begin() returns

    std::vector<std::string> names_;
};

// One SCAN, and a check of each key that it returns. In a script, because otherwise all keys of the database would be
// sent to the client, with a command for each. 1000 keys take the server some milliseconds; between two steps it
// executes the commands of others.
//
// A key that the ACL does not permit to read counts as no lock: pcall returns a table with the error, in which no token
// is found. A large string is not copied: a token begins in the first 64 bytes. Two fields of a hash are enough,
// because only one of a read_write_lock's fields, `mode`, is not a token. The marks of those who wait for a
// read_write_lock, the numbers of a semaphore and the steps of a latch have the form of a lock, but are none.
constexpr std::string_view page_script = R"lua(
local function has_permits(key, text)
    if not string.find(text, '^%-?%d+$') then return false end
    local held = redis.pcall('zcard', suffixed(key, 'timeout'))
    return type(held) == 'number' and held > 0
end
local function is_latch(key, text)
    return string.find(text, '^%d+$') and redis.pcall('exists', derived('holdfast_latch', key)) == 1
end
local step = redis.call('scan', ARGV[1], 'match', ARGV[2], 'count', 1000)
local answer = {step[1]}
for _, key in ipairs(step[2]) do
    local kind = redis.pcall('type', key).ok
    local token
    if kind == 'string' then token = redis.pcall('getrange', key, 0, 63) end
    if kind == 'hash' then
        for _, field in ipairs(redis.pcall('hrandfield', key, 2)) do
            if field ~= 'mode' then token = field end
        end
    end
    local is_none = string.find(key, '^holdfast_%a+_waiting:') or string.find(key, '^holdfast_permit_numbers:')
        or string.find(key, '^holdfast_latch_steps:')
    local is_lock = type(token) == 'string' and string.find(token, '^%x+%-%x+%-%x+%-%x+%-%x+:%d')
    local is_other = kind == 'string' and type(token) == 'string' and (has_permits(key, token) or is_latch(key, token))
    if not is_none and (is_lock or is_other) then answer[#answer + 1] = key end
end
return answer
)lua";

class page_query final : public lockless_query<key_page> {
public:
    page_query(
        handler_type h,
        std::shared_ptr<client_state> const& home,
        std::uint16_t slot,
        std::string from,
        std::string pattern)
        : lockless_query(std::move(h), home, slot), from_(std::move(from)), pattern_(std::move(pattern))
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        static auto const script = with_derived_names(page_script);
        to.submit(*this, std::array<std::string_view, 5>{"EVAL", script, "0", from_, pattern_});
    }
    // The first item is the cursor.
    key_page read(engine::reply const& r) override
    {
        key_page page;
        for (auto const& item : r.items)
            page.locks.emplace_back(item.text);
        if (!page.locks.empty()) {
            page.next = std::move(page.locks.front());
            page.locks.erase(page.locks.begin());
        }
        return page;
    }

    std::string const from_;
    std::string const pattern_;
};

}  // namespace

server_info_launch::server_info_launch(client& c, std::uint16_t s) : client_launch(launch_of(c)), slot(s) {}

void server_info_launch::start(handler_at<void(error_code, std::string)> h) &&
{
    launch_if_exists<info_query>(of, std::move(h), slot);
}

primaries_launch::primaries_launch(client& c, std::vector<std::string> n)
    : client_launch(launch_of(c)), names(std::move(n))
{}

void primaries_launch::start(handler_at<void(error_code, std::vector<primary_part>)> h) &&
{
    launch_if_exists<primaries_query>(of, std::move(h), std::move(names));
}

key_page_launch::key_page_launch(client& c, std::uint16_t s, std::string f, std::string p)
    : client_launch(launch_of(c)), slot(s), from(std::move(f)), pattern(std::move(p))
{}

void key_page_launch::start(handler_at<void(error_code, key_page)> h) &&
{
    launch_if_exists<page_query>(of, std::move(h), slot, std::move(from), std::move(pattern));
}

}  // namespace holdfast::detail
