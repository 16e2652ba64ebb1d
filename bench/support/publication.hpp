//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_PUBLICATION_HPP
#define HOLDFAST_BENCH_SUPPORT_PUBLICATION_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/redis_server.hpp"
#include "support/statistics.hpp"

namespace holdfast::bench {

struct table {
    struct column {
        std::string head;
        int digits;  // after the point
    };
    struct row {
        std::string name;
        std::vector<spread> cells;
        std::string remark = {};  // in place of cells
        bool plotted = true;      // false for a baseline whose bar would be much longer than all others
    };

    std::string title;
    std::vector<column> columns;  // the first one is also shown with its least and greatest value, and plotted
    std::vector<row> rows;
};

// The results of one scenario. It prints them on the terminal one by one, and writes them as JSON, as Markdown and as a
// plot at the end.
class publication {
public:
    publication(std::string_view scenario, redis_server&);

    void add(table);

    // Publishes a target of the project and the measured value; nullopt: not measured. A bound of 0: no target.
    void claim(std::string const& what, std::optional<spread> const& measured, double at_least, double at_most);
    void claim(std::string const& what, double measured, double at_least, double at_most);

    // A remark below the tables.
    void note(std::string);

    // Writes FILE.json, and FILE.md and FILE.svg in the same folder. An empty path: writes nothing.
    void write(std::string const& path) const;

private:
    struct target {
        std::string what;
        std::optional<spread> measured;
        double at_least, at_most;
        std::string bound() const;  // empty: no target
        std::string value() const;
        std::string result() const;
    };

    std::string to_json() const;
    std::string to_markdown(std::string const& plot) const;
    std::string claims_as_markdown() const;

    std::string scenario_;
    std::string redis_;
    std::vector<table> tables_;
    std::vector<target> claims_;
    std::vector<std::string> notes_;
};

}  // namespace holdfast::bench

#endif
