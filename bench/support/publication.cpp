//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/publication.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/version.hpp>

#include "support/json.hpp"
#include "support/plot.hpp"

namespace holdfast::bench {
namespace {

constexpr int name_width = 34;

std::string number(double value, int digits)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// Formats a ratio. From 100 on, digits after the point are not significant.
std::string concise(double value)
{
    return number(value, value < 100 ? 2 : 0);
}

std::string cell(table const& t, table::row const& r, std::size_t column, std::string const& between)
{
    auto const& s = r.cells[column];
    auto const digits = t.columns[column].digits;
    auto text = number(s.median, digits);
    if (column == 0)
        text += between + number(s.least, digits) + " .. " + number(s.most, digits);
    return text;
}

void print(table const& t)
{
    std::printf("\n%-*s", name_width, t.title.c_str());
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        std::printf(" %*s", c == 0 ? 30 : 11, t.columns[c].head.c_str());
    std::printf("\n");
    for (auto const& r : t.rows) {
        std::printf("%-*s", name_width, r.name.c_str());
        for (std::size_t c = 0; c < r.cells.size(); ++c)
            std::printf(" %*s", c == 0 ? 30 : 11, cell(t, r, c, "   ").c_str());
        std::printf("%s%s\n", r.remark.empty() ? "" : " ", r.remark.c_str());
    }
    std::fflush(stdout);
}

std::string to_markdown(table const& t)
{
    auto text = "\n**" + t.title + "**\n\n| |";
    for (auto const& c : t.columns)
        text += " " + c.head + " |";
    text += "\n|---|";
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        text += "--:|";
    for (auto const& r : t.rows) {
        text += "\n| " + r.name + " |";
        for (std::size_t c = 0; c < t.columns.size(); ++c)
            text += (r.remark.empty() ? " " + cell(t, r, c, "<br>") : c == 0 ? " *" + r.remark + "*" : " ") + " |";
    }
    return text + "\n";
}

void to_json(json_writer& to, table const& t)
{
    to.begin_object().member("title", std::string_view(t.title)).key("rows").begin_array();
    for (auto const& r : t.rows) {
        to.begin_object().member("name", std::string_view(r.name)).member("remark", std::string_view(r.remark));
        for (std::size_t c = 0; c < r.cells.size(); ++c) {
            to.key(t.columns[c].head).begin_object().member("median", r.cells[c].median);
            to.member("least", r.cells[c].least).member("most", r.cells[c].most).end_object();
        }
        to.end_object();
    }
    to.end_array().end_object();
}

void save(std::filesystem::path const& path, std::string const& text)
{
    std::ofstream file(path);
    file << text << '\n';
    if (!file)
        throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

std::string publication::target::bound() const
{
    return at_least > 0 ? ">= " + concise(at_least) : at_most > 0 ? "<= " + concise(at_most) : "";
}

std::string publication::target::value() const
{
    if (!measured)
        return "not run";
    auto const all = " (" + concise(measured->least) + " .. " + concise(measured->most) + ")";
    return concise(measured->median) + (measured->least < measured->most ? all : "");
}

std::string publication::target::result() const
{
    if (!measured || bound().empty())
        return "";
    return measured->median >= at_least && (at_most == 0 || measured->median <= at_most) ? "met" : "MISSED";
}

publication::publication(std::string_view scenario, redis_server& server)
    : scenario_(scenario), redis_(server.version())
{
    std::printf("%s: Redis %s, Boost %s\n", scenario_.c_str(), redis_.c_str(), BOOST_LIB_VERSION);
}

void publication::add(table t)
{
    print(t);
    tables_.push_back(std::move(t));
}

void publication::claim(std::string const& what, std::optional<spread> const& measured, double at_least, double at_most)
{
    auto const& c = claims_.emplace_back(target{what, measured, at_least, at_most});
    auto const of_it = c.bound().empty() ? "" : "  target: " + c.bound() + " " + c.result();
    std::printf("  %s: %s%s\n", what.c_str(), c.value().c_str(), of_it.c_str());
    std::fflush(stdout);
}

void publication::claim(std::string const& what, double measured, double at_least, double at_most)
{
    claim(what, spread{measured, measured, measured}, at_least, at_most);
}

void publication::note(std::string words)
{
    if (std::ranges::find(notes_, words) == notes_.end())
        notes_.push_back(std::move(words));
}

void publication::write(std::string const& path) const
{
    if (path.empty())
        return;
    std::filesystem::path file(path);
    save(file, to_json());
    auto const plot_file = std::filesystem::path(file).replace_extension("svg");
    save(plot_file, plot(tables_));
    save(std::filesystem::path(file).replace_extension("md"), to_markdown(plot_file.filename()));
}

std::string publication::to_json() const
{
    json_writer to;
    to.begin_object().member("scenario", std::string_view(scenario_));
    to.member("redis", std::string_view(redis_)).member("boost", std::string_view(BOOST_LIB_VERSION));
    to.member("cores", static_cast<double>(std::thread::hardware_concurrency()));
    to.key("tables").begin_array();
    for (auto const& t : tables_)
        bench::to_json(to, t);
    to.end_array().key("claims").begin_array();
    for (auto const& c : claims_) {
        auto const s = c.measured.value_or(spread());
        to.begin_object().member("what", std::string_view(c.what));
        to.member("median", s.median).member("least", s.least).member("most", s.most);
        to.member("target", std::string_view(c.bound())).member("result", std::string_view(c.result())).end_object();
    }
    to.end_array().key("notes").begin_array();
    for (auto const& n : notes_)
        to.value(std::string_view(n));
    to.end_array().end_object();
    return to.text();
}

// scripts/bench selects the rows of its summary by their first cell.
std::string publication::claims_as_markdown() const
{
    std::string text = claims_.empty() ? ""
                                       : "| | ratio, or what it says | target | measured | |\n|---|---|--:|--:|---|\n";
    for (auto const& c : claims_)
        text += "| " + scenario_ + " | " + c.what + " | " + c.bound() + " | " + c.value() + " | " + c.result() + " |\n";
    return text;
}

std::string publication::to_markdown(std::string const& plot_file) const
{
    auto text = "# " + scenario_ + "\n\nRedis " + redis_ + ", Boost " BOOST_LIB_VERSION ", "
                + std::to_string(std::thread::hardware_concurrency())
                + " cores. Medians; below the first, least and most." + "\n\n![" + scenario_ + "](" + plot_file + ")\n";
    for (auto const& t : tables_)
        text += bench::to_markdown(t);
    text += "\n" + claims_as_markdown() + "\n";
    for (auto const& n : notes_)
        text += "- " + n + "\n";
    text.pop_back();
    return text;
}

}  // namespace holdfast::bench
