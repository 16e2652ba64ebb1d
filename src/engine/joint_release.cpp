//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "engine/joint_release.hpp"

#include <algorithm>
#include <memory>

#include "engine/releaser.hpp"
#include "engine/wire_form.hpp"

namespace holdfast::engine {
namespace {

// The server does nothing else meanwhile: about 0.1 ms.
constexpr std::size_t most = 64;

// Nothing was applied. What is answered so is sent again, alone.
answer each_for_itself(answer const& a) noexcept
{
    return {.outcome = outcome::refused, .sent = a.sent, .why = refusal::no_script};
}

// The refusal is that of one key among them, or of the script: it would come again.
bool is_of_the_script(answer const& a) noexcept
{
    auto const v = judge_failure(a);
    return v.what == verdict::kind::failed && v.error != errc::server_refused;
}

}  // namespace

bool joint_release::is_full() const noexcept
{
    return parts_.size() == most;
}

void joint_release::add(command& told, lock_spec const& lock, std::string_view token)
{
    parts_.push_back({&told, &lock, token});
}

bool joint_release::concerns(lock_spec const& lock) const noexcept
{
    return std::ranges::any_of(parts_, [&](part const& p) { return p.lock->has_key_of(lock); });
}

bool joint_release::send(session& to)
{
    auto const& first = parts_.front();
    if (parts_.size() == 1)
        first.lock->form->release(to, *first.told, *first.lock, first.token, script_form::sha1);
    else
        submit(to, script_form::sha1);
    return parts_.size() > 1;
}

void joint_release::submit(session& to, script_form form)
{
    boost::container::small_vector<std::string_view, most> keys;
    boost::container::small_vector<std::string_view, 2 * most> arguments;
    for (auto const& p : parts_) {
        keys.push_back(p.lock->key);
        arguments.push_back(p.token);
        arguments.push_back(p.lock->channel);
    }
    submit_script(to, *this, *parts_.front().lock->form->joint_release(), form, keys, arguments);
}

void joint_release::call_off()
{
    tell_all({.outcome = outcome::refused, .why = refusal::not_now});
}

void joint_release::on_answer(answer const& a)
{
    if (a.why == refusal::no_script)
        return submit(home_.link(), script_form::text);  // retired tokens are only ever deleted: no state to look at
    auto const self = home_.take(*this);
    if (a.outcome == outcome::applied && a.value.items.size() == parts_.size())
        return tell_each(a);
    if (a.outcome != outcome::applied && !is_of_the_script(a))
        return tell_all(a);
    home_.on_joint_refused(a.words);
    tell_all(a.outcome == outcome::applied ? answer{.sent = a.sent} : each_for_itself(a));
}

void joint_release::tell_each(answer const& a)
{
    for (std::size_t i = 0; i < parts_.size(); ++i)
        parts_[i].told->on_answer({.outcome = outcome::applied, .sent = a.sent, .value = a.value.items[i]});
}

void joint_release::tell_all(answer const& a)
{
    for (auto const& p : parts_)
        p.told->on_answer(a);
}

}  // namespace holdfast::engine
