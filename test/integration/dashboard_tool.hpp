//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEGRATION_DASHBOARD_TOOL_HPP
#define HOLDFAST_TEST_INTEGRATION_DASHBOARD_TOOL_HPP

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "cli_tool.hpp"
#include "http_client.hpp"

namespace holdfast::test {

// A `holdfast dashboard` on a free port, that looks at the locks every 100 ms.
class dashboard_tool {
public:
    explicit dashboard_tool(std::string const& url, std::vector<std::string> more = {}) : tool_(url, words(more))
    {
        if (!tool_.prints("/"))
            throw std::runtime_error("the dashboard did not start: " + tool_.output());
        auto const line = tool_.output();
        auto const at = line.rfind(':') + 1;
        port = static_cast<std::uint16_t>(std::stoi(line.substr(at)));
        if (auto const mark = line.find("#token="); mark != line.npos)
            token = line.substr(mark + 7, line.find('\n', mark) - mark - 7);
    }
    explicit dashboard_tool(redis_server const& server, std::vector<std::string> more = {})
        : dashboard_tool(server.url(), std::move(more))
    {}

    tool& process() { return tool_; }

    http_reply get(std::string const& target, std::vector<std::string> fields = {}) const
    {
        return send("GET", target, std::move(fields));
    }
    http_reply post(std::string const& target, std::string const& body, std::vector<std::string> fields = {}) const
    {
        if (!token.empty() && fields.empty())
            fields.push_back("Authorization: Bearer " + token);
        fields.emplace_back("Content-Type: application/json");
        return send("POST", target, std::move(fields), body);
    }

    // /api/locks.
    boost::json::value locks() const { return boost::json::parse(get("/api/locks").body); }

    // The lock of that name in /api/locks; null: it is not there.
    boost::json::value lock(std::string const& name) const
    {
        auto const document = locks();
        for (auto const& each : document.at("locks").as_array())
            if (each.at("name").as_string() == name)
                return each;
        return nullptr;
    }

    // Waits until it has seen every key once. A lock that the first pass finds is no change.
    bool has_seen_all() const
    {
        return eventually([&] { return locks().at("survey").at("complete").as_bool(); });
    }
    bool shows(std::string const& name) const
    {
        return eventually([&] { return !lock(name).is_null(); });
    }

    std::uint16_t port = 0;
    std::string token;  // that it has made

private:
    static std::vector<std::string> words(std::vector<std::string> const& more)
    {
        std::vector<std::string> all{"dashboard", "--interval", "100ms"};
        if (std::ranges::find(more, "--listen") == more.end())
            all.insert(all.end(), {"--listen", "127.0.0.1:0"});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    http_reply send(
        std::string const& method,
        std::string const& target,
        std::vector<std::string> fields,
        std::string const& body = "") const
    {
        if (!token.empty() && fields.empty())
            fields.push_back("Authorization: Bearer " + token);
        return http_request(port, method, target, fields, body);
    }

    tool tool_;
};

}  // namespace holdfast::test

#endif
