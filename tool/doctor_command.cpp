//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/doctor_command.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "tool/connection.hpp"
#include "tool/dashboard/display_text.hpp"
#include "tool/dashboard/moment.hpp"
#include "tool/examination.hpp"
#include "tool/exit_status.hpp"
#include "tool/record.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

using findings = std::vector<finding>;

constexpr std::size_t topic_width = 16;

void print(finding const& f)
{
    constexpr char const* marks[] = {"ok    ", "warn  ", "BAD   "};
    auto line = marks[static_cast<int>(f.grade)] + f.topic;
    line.append(f.topic.size() < topic_width ? topic_width - f.topic.size() : 1, ' ');
    say(line + f.words);
}

bool is_suitable(findings const& all)
{
    return std::ranges::find(all, grade::bad, &finding::grade) == all.end();
}

boost::json::object to_json(finding const& f)
{
    constexpr char const* grades[] = {"ok", "warn", "bad"};
    return {
        {"topic", f.topic},
        {"grade", grades[static_cast<int>(f.grade)]},
        {"words", dashboard::display_text(f.words)}};  // they may contain what the server says
}

boost::json::object to_json(findings const& all)
{
    boost::json::array list;
    for (auto const& f : all)
        list.push_back(to_json(f));
    return {
        {"wall_ms", dashboard::moment::now().wall_ms}, {"suitable", is_suitable(all)}, {"findings", std::move(list)}};
}

asio::awaitable<int> run(client& c, config options, doctor_arguments const& args, examination::report_function report)
{
    if (int const status = co_await connect(c, longest_connect); status != ok) {
        if (is_hello_refused(c.last_failure().message))
            report({grade::bad, "HELLO 3", std::string(without_hello)});
        co_return status;
    }
    examination exam(c, std::move(options), args.name, std::move(report));
    if (auto const ec = co_await exam.name_error())
        co_return report_failure(ec, c);
    co_await exam();
    co_return ok;
}

}  // namespace

// Text appears line by line, because the tests take seconds if the server is slow. JSON is one line at the end.
int doctor_command(std::string const& url, doctor_arguments const& args)
{
    findings all;
    auto const report = [&](finding const& f) {
        all.push_back(f);
        if (!args.json)
            print(f);
    };
    asio::io_context context(1);
    auto const options = make_config(url);
    int const status = run_with_client(context, options, [&](client& c) { return run(c, options, args, report); });
    if (args.json && !all.empty())
        print_json(to_json(all));
    return status == ok && !is_suitable(all) ? unfit : status;
}

}  // namespace holdfast::cli
