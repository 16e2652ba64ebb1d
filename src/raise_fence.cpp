//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "raise_fence.hpp"

#include <string>
#include <utility>

#include "engine/grant.hpp"
#include "engine/tenure.hpp"
#include "lock_query.hpp"

namespace holdfast::detail {
namespace {

class raise_fence_query final : public query<bool> {
public:
    raise_fence_query(handler_type h, std::shared_ptr<client_state> const& home, raise_fence_launch l)
        : query(std::move(h), home, lock_of(*l.lock)), holder_(std::move(l.holder)), fence_(std::to_string(l.fence))
    {}

private:
    // Without a grant the token is empty, and stands nowhere.
    void send(engine::session& to, engine::script_form form) override
    {
        if (auto const& g = holder_->held_grant; g && token_.empty())
            token_ = g->token();
        engine::raise_fence(to, *this, lock(), token_, fence_, form);
    }
    bool read(engine::reply const& r) override { return r.integer == 1; }

    tenure_ptr holder_;
    std::string token_;
    std::string const fence_;
};

}  // namespace

asio::any_io_executor raise_fence_launch::get_executor() const noexcept
{
    return lock_launch{lock}.get_executor();
}

void raise_fence_launch::start(handler_at<void(error_code, bool)> h) &&
{
    auto const c = lock->home();
    if (auto const ec = obstacle(*lock, c))
        return complete_early<bool>(std::move(h), ec, false);
    raise_fence_query::launch(
        boost::intrusive_ptr<raise_fence_query>(new raise_fence_query(std::move(h), c, std::move(*this))), *c);
}

}  // namespace holdfast::detail
