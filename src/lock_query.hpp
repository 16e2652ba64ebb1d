//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_LOCK_QUERY_HPP
#define HOLDFAST_LOCK_QUERY_HPP

#include <memory>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <holdfast/detail/initiate.hpp>
#include <holdfast/detail/lock_base.hpp>
#include <holdfast/error.hpp>

#include "engine/wire_form.hpp"
#include "lock_state.hpp"
#include "operation.hpp"
#include "query.hpp"

namespace holdfast::detail {

// Why an operation on a lock cannot reach its client: success when it can.
error_code obstacle(lock_state const&, std::shared_ptr<client_state> const&);

// What an acquire asks for, as far as it says so.
engine::terms to_terms(acquire_request const&, config const& defaults) noexcept;

// "<uuid>:<n>[:<label>]": what follows the second colon is the label; of a writer, behind ":write".
holder to_holder(engine::holding const&);

// Launches a query about a lock.
template <class Query, class Result>
void ask(lock_state const& of, handler_at<void(error_code, Result)> h)
{
    auto const c = of.home();
    if (auto const ec = obstacle(of, c))
        return complete_early<Result>(std::move(h), ec, {});
    Query::launch(boost::intrusive_ptr<Query>(new Query(std::move(h), c, lock_of(of))), *c);
}

}  // namespace holdfast::detail

#endif
