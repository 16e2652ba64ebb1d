//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_QUERY_HPP
#define HOLDFAST_LOCK_QUERY_HPP

#include <memory>
#include <utility>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/error.hpp>

#include "engine/protocol/lock_protocol.hpp"
#include "operations/operation.hpp"
#include "operations/query.hpp"
#include "operations/single_lock.hpp"

namespace holdfast::detail {

// Why an operation on a lock cannot reach its client; success: it can. An invalid name is recorded as the client's last
// failure. Thread-safe; the client may end afterwards: then the message that carries the operation is discarded.
described_error precondition_error(single_lock const&, std::shared_ptr<client_state> const&);

// The terms of an acquire: its options, and the client's defaults for those that are not given.
engine::terms to_terms(acquire_request const&, config const& defaults) noexcept;

// Splits "<uuid>:<n>[:<label>]"; the token of a writer is "<uuid>:<n>:write[:<label>]". Other libraries may have
// written anything: that is returned as the id.
holder to_holder(engine::holding const&);

// Launches a query about a lock, or completes the handler if the client cannot be reached. The query shares ownership
// of the lock: the handle may be destroyed first.
template <class Query, class Result, class... More>
void launch_query(single_lock const& of, handler_at<void(error_code, Result)> h, More... more)
{
    auto const c = of.home();
    if (auto const ec = precondition_error(of, c))
        return complete_early<Result>(std::move(h), ec, {});
    launch<Query>(c, std::move(h), lock_of(of), more...);
}

}  // namespace holdfast::detail

#endif
