//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/acquire/probe.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "core/bounds.hpp"
#include "engine/acquire/attempt_call.hpp"
#include "engine/acquire/contender.hpp"

namespace holdfast::engine {

namespace {

// How soon the form of a key that has no time to live is requested.
constexpr core::duration soon = std::chrono::milliseconds(1);

// The token of a mutex, of Holdfast or Redisson: a UUID, a colon and a number.
bool is_token(std::string_view text)
{
    constexpr std::size_t colon = 36;
    if (text.size() < colon + 2 || text[colon] != ':')
        return false;
    for (std::size_t i = 0; i < colon; ++i) {
        bool const is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        bool const is_digit = std::string_view("0123456789abcdefABCDEF").find(text[i]) != text.npos;
        if (is_hyphen ? text[i] != '-' : !is_digit)
            return false;
    }
    return text[colon + 1] >= '0' && text[colon + 1] <= '9';
}

}  // namespace

std::uint8_t probe::send(session& to, std::string_view key)
{
    std::uint8_t replies = 1;
    to.submit(ttl_command_, std::array<std::string_view, 2>{"PTTL", key});
    if (!type_known_) {
        to.submit(type_command_, std::array<std::string_view, 2>{"TYPE", key});
        ++replies;
    }
    if (is_lasting()) {
        to.submit(form_command_, std::array<std::string_view, 4>{"GETRANGE", key, "0", "255"});
        ++replies;
    }
    return replies;
}

// All libraries give their locks a time to live, so a key that never expires is no lock, or one that has lost it. If there is
// no key (-2), the grant has ended since the last refusal. This reply comes first, so it starts the result anew; the others
// add to it.
void probe::on_ttl(answer const& a)
{
    constexpr std::int64_t for_ever = -1;
    remaining_ = core::duration::max();
    if (a.outcome == outcome::applied && a.value.integer >= 0)
        remaining_ = core::bounded(std::chrono::milliseconds(a.value.integer));
    wrong_type_ = false;
    bool const lasts = a.outcome == outcome::applied && a.value.integer == for_ever;
    life_ = lasts ? life::unclear : life::ends;
    if (lasts)
        remaining_ = soon;
    attempt_.on_probed();
}

void probe::on_form(answer const& a)
{
    if (life_ == life::unclear) {
        bool const is_lock = a.outcome == outcome::applied && is_token(a.value.text);
        life_ = is_lock ? life::lost : life::ends;
        wrong_type_ = wrong_type_ || !is_lock;
        remaining_ = core::duration::max();
    }
    attempt_.on_probed();
}

void probe::on_type(answer const& a)
{
    if (a.outcome == outcome::applied) {
        auto const type = a.value.text;
        type_known_ = type == "string" || type == "hash";
        wrong_type_ = wrong_type_ || !(type_known_ || type == "none");
    }
    attempt_.on_probed();
}

}  // namespace holdfast::engine
