//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "operations/server_query.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/hash_slot.hpp"
#include "operations/lockless_query.hpp"

namespace holdfast::detail {
namespace {

class info_query final : public lockless_query<std::string> {
public:
    info_query(handler_type h, std::shared_ptr<client_state> const& home, std::uint16_t slot)
        : lockless_query(std::move(h), home, slot)
    {}

private:
    void send(engine::session& to, engine::script_form) override
    {
        to.submit(*this, std::array<std::string_view, 1>{"INFO"});
    }
    std::string read(engine::reply const& r) override { return std::string(r.text); }
};

class primaries_query final : public operation<engine::request, std::vector<primary_part>> {
public:
    primaries_query(handler_type h, std::shared_ptr<client_state> const& home, std::vector<std::string> names)
        : operation(std::move(h), home), names_(std::move(names))
    {}

private:
    void begin(engine::client_engine& c) override
    {
        auto const* const r = c.runtime().router();
        std::vector<primary_part> parts;
        for (auto const slot : r ? r->slot_of_each() : std::vector<std::uint16_t>{0})
            parts.push_back({slot, {}});
        for (auto& name : names_) {
            auto const slot = core::hash_slot(name);
            auto const has_it = [&](primary_part const& p) { return !r || r->have_same_primary(p.slot, slot); };
            if (auto const at = std::ranges::find_if(parts, has_it); at != parts.end())
                at->names.push_back(std::move(name));
        }
        finish({}, std::move(parts));
    }
    void cancel(engine::client_engine&) override {}  // it is complete when begin() returns

    std::vector<std::string> names_;
};

}  // namespace

void start_server_info(handler_at<void(error_code, std::string)> h, client_ptr of, std::uint16_t slot)
{
    launch_if_exists<info_query>(of, std::move(h), slot);
}

void start_primaries(
    handler_at<void(error_code, std::vector<primary_part>)> h, client_ptr of, std::vector<std::string> names)
{
    launch_if_exists<primaries_query>(of, std::move(h), std::move(names));
}

}  // namespace holdfast::detail
