//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "account.hpp"

#include <stdexcept>

namespace {

struct finalizer {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using statement = std::unique_ptr<sqlite3_stmt, finalizer>;

statement prepare(sqlite3* db, char const* text)
{
    sqlite3_stmt* s = nullptr;
    if (sqlite3_prepare_v2(db, text, -1, &s, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(db));
    return statement(s);
}

}  // namespace

account::account(char const* file)
{
    sqlite3* db = nullptr;
    auto const status = sqlite3_open(file, &db);
    database_.reset(db);
    char const* const create =
        "CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER, token INTEGER);"
        "INSERT OR IGNORE INTO account VALUES (1, 0, 0)";
    if (status != SQLITE_OK || sqlite3_busy_timeout(db, 5000) != SQLITE_OK
        || sqlite3_exec(db, create, nullptr, nullptr, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(db));
}

bool account::read(std::uint64_t token, long& balance)
{
    if (!change("UPDATE account SET token = ?1 WHERE id = 1 AND token <= ?1", token, 0))
        return false;
    auto const row = prepare(database_.get(), "SELECT balance FROM account WHERE id = 1");
    if (sqlite3_step(row.get()) != SQLITE_ROW)
        throw std::runtime_error(sqlite3_errmsg(database_.get()));
    balance = static_cast<long>(sqlite3_column_int64(row.get(), 0));
    return true;
}

bool account::write(std::uint64_t token, long balance)
{
    return change("UPDATE account SET token = ?1, balance = ?2 WHERE id = 1 AND token <= ?1", token, balance);
}

bool account::change(char const* text, std::uint64_t token, long balance)
{
    auto const s = prepare(database_.get(), text);
    sqlite3_bind_int64(s.get(), 1, static_cast<sqlite3_int64>(token));
    if (sqlite3_bind_parameter_count(s.get()) > 1)
        sqlite3_bind_int64(s.get(), 2, balance);
    if (sqlite3_step(s.get()) != SQLITE_DONE)
        throw std::runtime_error(sqlite3_errmsg(database_.get()));
    return sqlite3_changes(database_.get()) == 1;
}
