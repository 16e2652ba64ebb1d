//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef ACCOUNT_HPP
#define ACCOUNT_HPP

#include <cstdint>
#include <memory>
#include <sqlite3.h>

// The balance of one account in an SQLite database. Each access states the fencing token of the lock under which it is
// made. The database keeps the greatest token that it has seen, and refuses a smaller one: its holder has lost the lock.
class account {
public:
    // Creates the table if the database has none. Throws std::runtime_error if the database cannot be used.
    explicit account(char const* file);

    // Whether the token was accepted. `read` raises the greatest token, too: otherwise an earlier holder, which has
    // read the same balance, could still write.
    bool read(std::uint64_t token, long& balance);
    bool write(std::uint64_t token, long balance);

private:
    // Runs a statement with the token as its first parameter, and says whether it changed the row.
    bool change(char const* statement, std::uint64_t token, long balance);

    struct closer {
        void operator()(sqlite3* db) const { sqlite3_close(db); }
    };
    std::unique_ptr<sqlite3, closer> database_;
};

#endif
