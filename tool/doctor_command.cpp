//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/doctor_command.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <holdfast/mutex.hpp>

#include "tool/cluster_examination.hpp"
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

// `node`: of the finding before.
void print(finding const& f, std::string const& node)
{
    if (f.node != node)
        say("node  " + f.node);
    constexpr char const* marks[] = {"ok    ", "warn  ", "BAD   "};
    auto line = marks[static_cast<int>(f.grade)] + f.topic;
    line.append(f.topic.size() < topic_width ? topic_width - f.topic.size() : 1, ' ');
    say(line + shortened(f.words));
}

bool is_suitable(findings const& all)
{
    return std::ranges::find(all, grade::bad, &finding::grade) == all.end();
}

boost::json::object to_json(finding const& f)
{
    constexpr char const* grades[] = {"ok", "warn", "bad"};
    boost::json::object object{
        {"topic", f.topic},
        {"grade", grades[static_cast<int>(f.grade)]},
        {"words", dashboard::display_text(shortened(f.words))}};  // they may contain what the server says
    if (!f.node.empty())
        object["node"] = dashboard::display_text(f.node);
    return object;
}

boost::json::object to_json(findings const& all)
{
    boost::json::array list;
    for (auto const& f : all)
        list.push_back(to_json(f));
    return {
        {"wall_ms", dashboard::moment::now().wall_ms}, {"suitable", is_suitable(all)}, {"findings", std::move(list)}};
}

bool is_cluster(std::string const& url)
{
    return url.find("+cluster://") != url.npos;
}

// Functions, because GCC 12 calls the destructor of an aggregate twice if a coroutine makes it in an expression.
examined server_of(doctor_arguments const& args)
{
    return {.names = names_for(args.name, random_digits())};
}

mutex any_mutex(client& c, std::string const& prefix)
{
    return mutex(c, names_for(prefix, random_digits()).key);
}

// An error if no lock can have such a name.
asio::awaitable<error_code> name_error(client& c, std::string const& name)
{
    error_code ec;
    auto const lock = any_mutex(c, name);
    (void)co_await lock.is_locked(asio::redirect_error(asio::use_awaitable, ec));
    co_return ec == cond::misuse ? ec : error_code();
}

asio::awaitable<int> run(client& c, config options, doctor_arguments const& args, examination::report_function report)
{
    if (int const status = co_await connect(c, longest_connect); status != ok) {
        if (is_hello_refused(c.last_failure().message))
            report({grade::bad, "HELLO 3", std::string(without_hello)});
        co_return status;
    }
    if (auto const ec = co_await name_error(c, args.name))
        co_return report_failure(ec, c);
    if (is_cluster(options.url)) {
        cluster_examination exam(c, std::move(options), args.name, args.lease, std::move(report));
        co_await exam();
        co_return ok;
    }
    examination exam(c, std::move(options), server_of(args), std::move(report));
    co_await exam();
    co_return ok;
}

}  // namespace

// Text appears line by line, because the tests take seconds if the server is slow. JSON is one line at the end.
int doctor_command(server_address const& server, doctor_arguments const& args)
{
    findings all;
    auto const report = [&](finding const& f) {
        if (!args.json)
            print(f, all.empty() ? "" : all.back().node);
        all.push_back(f);
    };
    asio::io_context context(1);
    auto const options = make_config(server);
    int const status = run_with_client(context, options, [&](client& c) { return run(c, options, args, report); });
    if (args.json && !all.empty())
        print_json(to_json(all));
    return status == ok && !is_suitable(all) ? unfit : status;
}

}  // namespace holdfast::cli
