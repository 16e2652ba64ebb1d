//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "simulation/transcript.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "scripts_generated.hpp"

namespace holdfast::test {
namespace {

constexpr std::size_t uuid_size = 36;
constexpr std::string_view the_test = "test";  // executes commands without a connection
constexpr std::size_t digits_of_time = 13;     // milliseconds since the epoch

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool starts_with_uuid(std::string_view text)
{
    if (text.size() < uuid_size)
        return false;
    for (std::size_t i = 0; i != uuid_size; ++i) {
        bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0)
            return false;
    }
    return true;
}

bool opens_a_connection(simulated::words command)
{
    constexpr std::array names{"HELLO", "AUTH", "SELECT", "CLIENT", "INFO", "CLUSTER"};
    return std::ranges::find(names, command[0]) != names.end();
}

std::string_view name_of_script(std::string_view sha1)
{
    for (auto const& s : engine::scripts::all)
        if (s.sha1 == sha1 || s.sharded.sha1 == sha1)
            return s.name;
    return sha1;
}

}  // namespace

void transcript::listen(simulated_server& server, std::string name)
{
    for (auto const& s : engine::scripts::all) {
        server.execute({"SCRIPT", "LOAD", s.text});
        server.execute({"SCRIPT", "LOAD", s.sharded.text});
    }
    server.check([this, name = std::move(name)](executed const& e) { write(e, name); });
}

void transcript::begin(std::string_view title, std::string_view what)
{
    text_.append("\n## ").append(title).append("\n").append(what).append("\n```text\n");
    is_on_ = true;
}

void transcript::end()
{
    text_.append("```\n");
    is_on_ = false;
}

void transcript::say(std::string_view line)
{
    text_.append(line).append("\n");
}

void transcript::write(executed const& e, std::string const& server)
{
    if (!is_on_ || e.what.args.empty() || opens_a_connection(e.what.args))
        return;
    if (e.client == the_test)
        return;
    auto const client = e.client.substr(0, e.client.find('#'));
    auto line = readable(client, e.what.args);
    if (e.what.in_script) {
        calls_.push_back(std::move(line));
        return;
    }
    text_.append("    ").append(client).append(" > ").append(server).append(server.empty() ? "" : " ").append(line);
    if (e.what.reply)
        text_.append("  ->  ").append(readable(client, to_string(*e.what.reply)));
    text_ += '\n';
    for (auto const& call : calls_)
        if (with_calls_)
            text_.append("          ").append(call).append("\n");
    calls_.clear();
}

std::string transcript::readable(std::string_view client, simulated::words command)
{
    if (command[0] == "EVALSHA") {
        std::string line(name_of_script(command[1]));
        for (auto const word : command.subspan(3))
            line.append(" ").append(readable(client, word));
        return line;
    }
    std::string line;
    for (auto const word : command)
        line.append(line.empty() ? "" : " ").append(word.empty() ? "\"\"" : readable(client, word));
    return line;
}

std::string transcript::readable(std::string_view client, std::string_view word)
{
    std::string text;
    while (!word.empty()) {
        auto const digits = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
        std::size_t used = 1;
        if (starts_with_uuid(word)) {
            text += name_of_token(client, word.substr(0, uuid_size));
            used = uuid_size;
        } else if (digits >= digits_of_time) {
            auto const next = "T" + std::to_string(times_.size() + 1);
            text += times_.emplace(word.substr(0, digits), next).first->second;
            used = digits;
        } else if (digits > 0) {
            text += word.substr(0, digits);
            used = digits;
        } else {
            text += word.front();
        }
        word.remove_prefix(used);
    }
    return text;
}

// A client is the first to send its UUID.
std::string transcript::name_of_token(std::string_view client, std::string_view uuid)
{
    auto found = clients_.find(uuid);
    if (found == clients_.end()) {
        auto const has_name = [&](auto const& known) { return known.second == client; };
        auto const others = std::ranges::count_if(clients_, has_name);
        auto name = std::string(client) + (others == 0 ? "" : "'");
        found = clients_.emplace(uuid, std::move(name)).first;
    }
    return found->second;
}

}  // namespace holdfast::test
