//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The checks of docs/fencing.md, read from the example files of that page: a stale holder can neither read nor write.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

// Above 2^52, as fencing tokens are: a double still distinguishes such a number from its neighbours.
std::string const older = "4503599627370497";
std::string const newer = "4503599627370498";

std::string example(std::string const& name)
{
    std::ifstream file(HOLDFAST_DOCS "/examples/" + name);
    if (!file)
        throw std::runtime_error("cannot read " + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the documented Lua script refuses a stale reader and a stale writer", "[fencing]")
{
    redis_server server;
    auto const call = [&](std::vector<std::string> const& arguments) {
        std::vector<std::string> words{"EVAL", example("fenced_value.lua"), "2", "{v}", "{v}:token"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return server.command(words);
    };
    CHECK(call({older}).is_nil());  // no value yet
    CHECK(call({older, "33"}).text == "33");
    CHECK(call({newer}).text == "33");  // the successor reads ...
    for (auto const& stale : {call({older}), call({older, "34"})}) {
        CHECK(stale.is_error());
        CHECK(stale.text.starts_with("STALE "));
    }
    CHECK(call({newer, "35"}).text == "35");  // ... and writes several times
    CHECK(call({newer, "36"}).text == "36");
    CHECK(server.command({"GET", "{v}:token"}).text == newer);
}

// A database in memory with one account, and the statements of the documentation.
class account {
public:
    void read(std::string const& token) { run("fenced_read.sql", token, ""); }
    void write(std::string const& token, std::string const& balance) { run("fenced_write.sql", token, balance); }

    // Returns what the statements printed: for each one the selected rows and the number of changed rows.
    std::string result() const
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> const pipe(
            ::popen((command_ + " 2>&1").c_str(), "r"), ::pclose);
        std::string all;
        for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
            all += c == '\n' ? ' ' : static_cast<char>(c);
        return all;
    }

private:
    void run(std::string const& file, std::string const& token, std::string const& balance)
    {
        say(".parameter set :id 1");
        say(".parameter set :token " + token);
        if (!balance.empty())
            say(".parameter set :balance " + balance);
        say(".read " HOLDFAST_DOCS "/examples/" + file);
        say("SELECT 'changed ' || changes()");
    }
    void say(std::string const& words) { command_ += " \"" + words + "\""; }

    std::string command_ =
        "sqlite3 -batch :memory: 'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, fence BIGINT NOT NULL "
        "DEFAULT 0)' 'INSERT INTO account (id, balance) VALUES (1, 0), (2, 0)'";
};

TEST_CASE("the documented SQL statements refuse a stale reader and a stale writer", "[fencing]")
{
    if (std::system("sqlite3 -version > /dev/null 2>&1") != 0)
        SKIP("sqlite3 is not installed");
    account a;
    a.write(older, "33");
    a.read(newer);
    a.read(older);
    a.write(older, "34");
    a.write(newer, "35");
    a.write(newer, "36");
    a.read(newer);
    CHECK(
        a.result()
        == "changed 1 "     // the holder
           "33 changed 1 "  // the successor reads
           "33 changed 0 "  // the holder again: stale
           "changed 0 "     // it writes: refused
           "changed 1 changed 1 36 changed 1 ");
}

}  // namespace
}  // namespace holdfast::test
