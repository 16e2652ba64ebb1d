//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_OPENTELEMETRY_HPP
#define HOLDFAST_OPENTELEMETRY_HPP

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/config.hpp>
#include <opentelemetry/trace/scope.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/tracer.h>

#include <holdfast/diagnostics.hpp>
#include <holdfast/observer.hpp>

namespace holdfast {

/// Options of an @ref opentelemetry_tracer.
struct opentelemetry_options {
    /// Makes the spans. Null: the tracer "holdfast" of the global provider, when the opentelemetry_tracer is made.
    opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer = {};

    /// Makes the attribute `holdfast.lock` from the name of a lock. Empty: the spans have no such attribute, because
    /// names may be many, or confidential. Called on the client's strand; must not throw.
    std::function<std::string(std::string_view name)> lock_name = {};
};

/// Makes two spans of each acquire, for opentelemetry-cpp: one of the wait and one of the hold. In the CMake target
/// `holdfast::opentelemetry`, component `opentelemetry` of the package. One object may be the observer of several
/// clients.
///
/// @par Spans
/// `holdfast wait` lasts from the initiation of the acquire to its end, `holdfast hold` from the grant to the release
/// or the loss. The hold has a link to its wait. Both have the same parent: the span that was current on the thread
/// that initiated the acquire. `docs/monitoring.md` lists their attributes. The acquire of a @ref multi_lock or @ref
/// red_lock has these two spans; its members have none. Neither has an acquire with an invalid option. A downgrade()
/// ends the hold of the write, and the read has a hold of its own.
///
/// A span whose end is not reported, because the execution context of its client has ended, ends with the outcome
/// `abandoned` when its acquire or lease is destroyed.
///
/// @par The parent
/// A coroutine must not keep an `opentelemetry::trace::Scope` over a `co_await`: the scope belongs to the thread, which
/// runs other coroutines meanwhile. with_parent() makes a span current during the initiation only.
///
/// @par Cost
/// An observer has a cost of its own (see @ref observer). A span that is not recorded costs an allocation or two.
///
/// @par Thread safety
/// Shared objects: safe.
///
/// @par Example
/// @code
/// auto tracer = std::make_shared<holdfast::opentelemetry_tracer>();
/// holdfast::client client(executor, {.url = "redis://localhost", .observer = tracer});
/// ...
/// auto lease = co_await lock.acquire(holdfast::with_parent(span));
/// @endcode
class BOOST_SYMBOL_VISIBLE opentelemetry_tracer final : public observer {
public:
    /// Makes an observer for `config::observer`.
    explicit opentelemetry_tracer(opentelemetry_options = {});

    /// @cond
    std::shared_ptr<void> on_initiated(lock_event const&) noexcept override;
    void on_waiting(lock_event const&) noexcept override;
    void on_acquired(lock_event const&) noexcept override;
    void on_busy(lock_event const&) noexcept override;
    void on_failed(lock_event const&) noexcept override;
    void on_released(lock_event const&) noexcept override;
    void on_at_risk(lock_event const&) noexcept override;
    void on_lost(lock_event const&) noexcept override;
    /// @endcond

private:
    class spans;

    opentelemetry_options const options_;
};

/// @cond
namespace detail {

template <class Token>
struct parent_token {
    opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span> parent;
    Token token;
};

// Initiates the operation while the parent is the current span. Operations complete as if posted, so that no handler
// runs in the scope. A derived class, because tokens such as asio::cancel_after() ask an initiation for its executor.
template <class Initiation>
struct parent_initiation : Initiation {
    opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span> parent;

    template <class Handler, class... Arguments>
    void operator()(Handler&& handler, Arguments&&... arguments)
    {
        opentelemetry::trace::Scope const scope(parent);
        static_cast<Initiation&&> (*this)(std::forward<Handler>(handler), std::forward<Arguments>(arguments)...);
    }
};

}  // namespace detail
/// @endcond

/// Returns a completion token for an operation of this library that is to be initiated while `parent` is the current
/// span: the spans of an acquire have it as their parent. The operation completes as with `token`, also a bound one
/// such as `asio::cancel_after(1s)`.
template <class Token = with_diagnostics_t<boost::asio::deferred_t>>
auto with_parent(opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span> parent, Token token = {})
{
    return detail::parent_token<Token>{std::move(parent), std::move(token)};
}

}  // namespace holdfast

/// @cond
template <class Token, class... Signatures>
struct boost::asio::async_result<holdfast::detail::parent_token<Token>, Signatures...> {
    // The result type is written out, because the concepts of Asio ask for it without an initiation that can run.
    template <class Initiation, class ParentToken, class... Arguments>
    static auto initiate(Initiation&& initiation, ParentToken&& token, Arguments&&... arguments)
        -> decltype(async_initiate<Token, Signatures...>(
            std::declval<holdfast::detail::parent_initiation<std::decay_t<Initiation>>>(),
            token.token,
            std::forward<Arguments>(arguments)...))
    {
        using wrapped = holdfast::detail::parent_initiation<std::decay_t<Initiation>>;
        return async_initiate<Token, Signatures...>(
            wrapped{{std::forward<Initiation>(initiation)}, token.parent},
            token.token,
            std::forward<Arguments>(arguments)...);
    }
};
/// @endcond

#endif
