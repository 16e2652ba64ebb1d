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
        bool plotted = true;      // a yardstick may be out of all proportion
    };

    std::string title;
    std::vector<column> columns;  // of the first, least and most are shown, too; it is what the plot shows
    std::vector<row> rows;
};

// The results of one scenario: on the terminal as they come, and at the end as JSON, as Markdown and as a plot.
class publication {
public:
    publication(std::string_view scenario, redis_server&);

    void add(table);

    // Publishes a target of the project beside the measured value; nullopt: it was not measured. A bound of 0: no target.
    void claim(std::string const& what, std::optional<spread> const& measured, double at_least, double at_most);
    void claim(std::string const& what, double measured, double at_least, double at_most);

    // A remark below the tables.
    void note(std::string);

    // FILE.json, and beside it FILE.md and FILE.svg. An empty path: nothing is written.
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
