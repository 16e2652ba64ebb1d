//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/command_rules.hpp"

#include <cstddef>
#include <stdexcept>

#include "scripts_generated.hpp"
#include "support/script_word.hpp"

namespace holdfast::test {
namespace {

bool is_applied(executed const& e)
{
    return e.what.reply && !e.what.reply->is_error();
}

}  // namespace

void command_rules::operator()(executed const& e)
{
    if (e.what.in_script || e.what.args.empty())
        return;
    auto const args = e.what.args;
    if (args[0] == "SET" && args[1].starts_with("holdfast_ack:"))
        return;
    if (args[0] == "SET" && args.size() > 3)
        on_acquire(e, args[2]);
    else if ((args[0] == "EVALSHA" || args[0] == "EVAL") && is_applied(e))
        on_script(e, args);
}

void command_rules::on_script(executed const& e, simulated::words args)
{
    namespace scripts = engine::scripts;
    auto const keys = static_cast<std::size_t>(std::stoul(std::string(args[2])));
    auto const first = args.subspan(3 + keys);
    auto const is_any = [&](auto const&... s) { return (is_script(args[1], s) || ...); };
    if (is_any(
            scripts::mutex_release,
            scripts::mutex_release_later,
            scripts::reentrant_release_later,
            scripts::fair_release_later,
            scripts::reentrant_release,
            scripts::read_release,
            scripts::read_release_later,
            scripts::write_release,
            scripts::fair_leave))
        retired_.emplace(first[0], e.client);
    else if (is_any(scripts::mutex_release_all, scripts::reentrant_release_all))
        for (std::size_t i = 0; i < first.size(); i += 2)
            retired_.emplace(first[i], e.client);
    else if (is_any(scripts::mutex_renew, scripts::reentrant_renew, scripts::read_renew))
        for (std::size_t i = 0; i < first.size(); i += 2)
            on_renewal(e, first[i]);
    else if (is_script(args[1], scripts::write_acquire))
        on_acquire(e, first[0], e.what.reply && e.what.reply->integer >= 0);
    else if (is_script(args[1], scripts::fair_refresh))
        for (auto const token : first.subspan(2))
            require_alive(e, token, "refresh");
    else if (is_script(args[1], scripts::fair_acquire))
        require_alive(e, first[0], "acquire");  // may be granted twice: the script finds its own grant
    else if (is_script(args[1], scripts::lock_holders) || is_script(args[1], scripts::lock_force_release))
        return;
    else
        on_acquire(e, first[0]);
}

// On one connection the order is exact: a command that arrives after the release was sent after it.
void command_rules::require_alive(executed const& e, std::string_view token, char const* what) const
{
    if (retired_.contains({std::string(token), std::string(e.client)}))
        throw std::runtime_error(std::string(what) + " with a retired token " + std::string(token));
}

void command_rules::on_acquire(executed const& e, std::string_view token)
{
    on_acquire(
        e,
        token,
        e.what.reply && !e.what.reply->is_error()
            && (e.what.reply->text == "OK" || (e.what.reply->is_nil() && e.what.args[0] != "SET")
                || e.what.reply->integer > 1'000'000'000'000));
}

void command_rules::on_acquire(executed const& e, std::string_view token, bool granted)
{
    require_alive(e, token, "acquire");
    if (granted && !granted_.emplace(token).second)
        throw std::runtime_error("token " + std::string(token) + " was granted twice");
}

}  // namespace holdfast::test
