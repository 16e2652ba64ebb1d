//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "client/log_sink.hpp"

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace log_sink_test {

using namespace holdfast;

// What is written to a file descriptor of this process while the object exists.
class captured {
public:
    explicit captured(int of) : of_(of), before_(::dup(of))
    {
        flush();  // what was written before
        ::dup2(::fileno(file_.get()), of);
    }
    ~captured() { restore(); }
    captured(captured const&) = delete;
    captured& operator=(captured const&) = delete;

    std::string text()
    {
        restore();
        std::string all;
        std::rewind(file_.get());
        for (int c = std::fgetc(file_.get()); c != EOF; c = std::fgetc(file_.get()))
            all.push_back(static_cast<char>(c));
        return all;
    }

private:
    static void flush()
    {
        std::fflush(stdout);
        std::fflush(stderr);
    }
    void restore()
    {
        if (before_ < 0)
            return;
        flush();
        ::dup2(before_, of_);
        ::close(before_);
        before_ = -1;
    }

    int const of_;
    int before_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file_{std::tmpfile(), std::fclose};
};

void log_each_level(config const& c)
{
    auto const log = detail::make_log(c);
    log.debug("a detail");
    log.info("some news");
    log.warning("a warning");
    log.error("an error");
}

bool contains(std::string const& text, char const* part)
{
    return text.find(part) != std::string::npos;
}

TEST_CASE("log: by default only warnings and errors are written, to standard error", "[log]")
{
    std::string out, err;
    {
        captured to_out(1);
        captured to_err(2);
        log_each_level({.name = "app"});
        err = to_err.text();
        out = to_out.text();
    }
    CHECK(out.empty());
    CHECK(contains(err, "app: a warning"));
    CHECK(contains(err, "app: an error"));
    CHECK_FALSE(contains(err, "a detail"));
    CHECK_FALSE(contains(err, "some news"));
}

TEST_CASE("log: a logger \"holdfast\" of the program receives what its level allows", "[log]")
{
    std::ostringstream lines;
    auto const mine = std::make_shared<spdlog::logger>(
        "holdfast", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
    mine->set_level(spdlog::level::debug);
    std::string err;
    {
        captured to_err(2);
        auto const log = detail::make_log({});
        spdlog::register_logger(mine);  // after the client was made
        log.debug("a detail");
        spdlog::drop("holdfast");
        err = to_err.text();
    }
    CHECK(contains(lines.str(), "holdfast: a detail"));
    CHECK(err.empty());
}

}  // namespace log_sink_test
