//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "server_info.hpp"

#include <array>
#include <memory>
#include <string_view>

#include "client_access.hpp"
#include "engine/wire_form.hpp"
#include "query.hpp"

namespace holdfast::detail {
namespace {

// A query is about a lock, whose name stands in the log when it is refused.
std::shared_ptr<engine::lock_spec const> no_lock()
{
    engine::lock_spec::words const words{.prefix = {}, .name = "INFO", .channel = {}, .counter = {}, .label = {}};
    return std::make_shared<engine::lock_spec const>(engine::mutex_form(false), words, std::vector<std::string>());
}

class info_query final : public query<std::string> {
public:
    using query::query;

private:
    void send(engine::session& to, engine::script_form) override
    {
        to.submit(*this, std::array<std::string_view, 1>{"INFO"});
    }
    std::string read(engine::reply const& r) override { return std::string(r.text); }
};

}  // namespace

server_info_launch::server_info_launch(client& c) : client_launch{client_access::state_of(c).weak_from_this()} {}

void server_info_launch::start(handler_at<void(error_code, std::string)> h) &&
{
    auto const c = of.lock();
    if (!c || !c->executor())
        return complete_early<std::string>(std::move(h), errc::client_stopped, {});
    info_query::launch(boost::intrusive_ptr<info_query>(new info_query(std::move(h), c, no_lock())), *c);
}

}  // namespace holdfast::detail
