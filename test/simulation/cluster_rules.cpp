//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/cluster_rules.hpp"

#include <chrono>
#include <stdexcept>

#include "scripts_generated.hpp"
#include "support/script_word.hpp"

namespace holdfast::test {
namespace {

constexpr std::size_t most_questions = 10;  // of one process to one node, in a second

}  // namespace

void cluster_rules::operator()(executed const& e)
{
    auto const args = e.what.args;
    if (e.what.in_script || args.empty())
        return;
    if (e.what.reply && e.what.reply->is_error() && e.what.reply->text.starts_with("CROSSSLOT"))
        throw std::runtime_error("CROSSSLOT for " + std::string(args[0]));
    if (args[0] == "ASKING") {
        asking_.emplace(e.client);
        return;
    }
    if (asking_.erase(std::string(e.client)) != 0)
        require_confined(e);
    if (args[0] == "CLUSTER")
        require_pace(e);
}

// The scripts of a read_write_lock look at keys that are not among their KEYS. At the destination of a slot that is
// being moved, one that has not come yet would seem not to exist.
void cluster_rules::require_confined(executed const& e) const
{
    namespace scripts = engine::scripts;
    auto const args = e.what.args;
    if (args.size() < 2 || !args[0].starts_with("EVAL"))
        return;
    for (auto const* const s :
         {&scripts::read_acquire,
          &scripts::read_release,
          &scripts::read_release_later,
          &scripts::write_acquire,
          &scripts::write_release,
          &scripts::read_write_holders,
          &scripts::read_write_force_release})
        if (is_script(args[1], *s))
            throw std::runtime_error(std::string(s->name) + " was sent after ASKING");
}

void cluster_rules::require_pace(executed const& e)
{
    auto const process = std::string(e.client.substr(0, e.client.find('#')));
    auto& times = questions_[{process, std::string(e.server)}];
    times.push_back(e.when);
    while (e.when - times.front() >= std::chrono::seconds(1))
        times.pop_front();
    if (times.size() > most_questions)
        throw std::runtime_error(process + " asked for the slots too often");
}

}  // namespace holdfast::test
