//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "server_run.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <boost/asio/system_executor.hpp>

#include "core/server_age.hpp"
#include "query.hpp"

namespace holdfast::detail {
namespace {

// The value of a field of INFO; empty: it is not there.
std::string_view field(std::string_view info, std::string_view name)
{
    for (auto at = info.find(name); at != info.npos; at = info.find(name, at + 1)) {
        bool const begins_line = at == 0 || info[at - 1] == '\n';
        auto value = info.substr(at + name.size());
        if (begins_line && value.starts_with(':'))
            return value.substr(1, value.find_first_of("\r\n") - 1);
    }
    return {};
}

// Redis' has 40 digits.
server_run::id_type id_of(std::string_view run_id)
{
    run_id = run_id.substr(0, server_run::id_type::static_capacity);
    return {run_id.data(), run_id.size()};
}

std::shared_ptr<engine::lock_spec const> no_lock()
{
    engine::lock_spec::words const words{.prefix = {}, .name = "INFO", .channel = {}, .counter = {}, .label = {}};
    return std::make_shared<engine::lock_spec const>(engine::mutex_form(false), words, std::vector<std::string>());
}

class server_run_query final : public query<server_run> {
public:
    server_run_query(handler_type h, std::shared_ptr<client_state> const& home)
        : query(std::move(h), home, no_lock()), home_(home)
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        to.submit(*this, std::array<std::string_view, 2>{"INFO", "server"});
    }

    server_run read(engine::reply const& r) override
    {
        auto const uptime = field(r.text, "uptime_in_seconds");
        std::int64_t seconds = 0;
        auto const parsed = std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
        server_run run{.epoch = engine().epoch(), .id = id_of(field(r.text, "run_id"))};
        if (parsed.ec == std::errc() && !uptime.empty())
            run.since = core::latest_start(std::chrono::seconds(seconds), engine().now());
        return keep(run);
    }

    void refuse(error_code ec) override
    {
        if (ec != errc::not_permitted)
            return finish(ec);
        finish({}, keep({.epoch = engine().epoch()}));
    }

    server_run keep(server_run const& run) const
    {
        if (auto const c = home_.lock())
            c->keep_run(run);
        return run;
    }

    std::weak_ptr<client_state> home_;
};

}  // namespace

asio::any_io_executor server_run_launch::get_executor() const noexcept
{
    auto const e = of->executor();
    return e ? e : asio::any_io_executor(asio::system_executor());
}

void server_run_launch::start(handler_at<void(error_code, server_run)> h) &&
{
    if (!of->is_alive())
        return complete_early<server_run>(std::move(h), errc::client_stopped, {});
    if (auto run = of->known_run(); run.epoch != 0)
        return complete_early<server_run>(std::move(h), {}, std::move(run));
    server_run_query::launch(boost::intrusive_ptr<server_run_query>(new server_run_query(std::move(h), of)), *of);
}

}  // namespace holdfast::detail
