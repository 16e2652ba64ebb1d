//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/doctor_command.hpp"

#include <algorithm>

#include "tool/connection.hpp"
#include "tool/examination.hpp"
#include "tool/exit_status.hpp"
#include "tool/report_error.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t topic_width = 16;

void print(finding const& f)
{
    constexpr char const* marks[] = {"ok    ", "warn  ", "BAD   "};
    auto line = marks[static_cast<int>(f.grade)] + f.topic;
    line.append(f.topic.size() < topic_width ? topic_width - f.topic.size() : 1, ' ');
    say(line + f.words);
}

}  // namespace

int doctor_command(std::string const& url, doctor_arguments const& args)
{
    asio::io_context context(1);
    auto const options = make_config(url);
    return run_with_client(context, options, [&](client& c) -> asio::awaitable<int> {
        if (int const status = co_await connect(c, longest_connect); status != ok) {
            if (is_hello_refused(c.last_failure().message))
                print({grade::bad, "HELLO 3", std::string(without_hello)});
            co_return status;
        }
        auto worst = grade::good;
        examination exam(c, options, args.name, [&](finding const& f) {
            print(f);
            worst = std::max(worst, f.grade);
        });
        if (auto const ec = co_await exam.name_error())
            co_return report_failure(ec, c);
        co_await exam();
        co_return worst == grade::bad ? unfit : ok;
    });
}

}  // namespace holdfast::cli
