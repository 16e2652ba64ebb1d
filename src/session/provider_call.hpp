//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_SESSION_PROVIDER_CALL_HPP
#define HOLDFAST_SESSION_PROVIDER_CALL_HPP

#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include <holdfast/config.hpp>
#include <holdfast/credentials.hpp>

#include "engine/port/strand.hpp"

namespace holdfast::session {

// One question to the user's provider, which may complete on any thread, never, twice, or after the session has ended,
// and may throw. Its result reaches the receiver once, on the session's strand, unless the call was abandoned.
//
// The provider runs on a strand of the call's own, on the client's executor: never on the strand of the session, which
// it would block, and not on a bare thread pool, where the cancellation would race with it.
class provider_call final : public holdfast::detail::credentials_call,
                            public std::enable_shared_from_this<provider_call> {
public:
    class receiver {
    public:
        // With a failure, there are no credentials.
        virtual void on_answer(provider_call const&, std::exception_ptr failure, holdfast::credentials) = 0;

    protected:
        ~receiver() = default;
    };

    provider_call(engine::strand session, std::weak_ptr<receiver>);

    // The function is shared, so that it exists until the last call of it has ended.
    void start(std::shared_ptr<credentials_provider const>, credentials_request);

    // No answer is awaited any more: cancels the provider. On the session's strand.
    void abandon();
    // The same without a cancellation, and without an access to the execution context, which may be ending.
    void forget() noexcept;

    void complete(std::exception_ptr failure, holdfast::credentials) override;
    boost::asio::any_io_executor executor() const override;
    boost::asio::cancellation_slot slot() noexcept override { return cancellation_.slot(); }

private:
    // What needs the execution context. A handler that the user keeps may outlive the context, so these strands must
    // not be kept longer than the answer is awaited.
    struct strands {
        engine::strand session;
        engine::strand provider;
    };

    std::optional<strands> end() noexcept;

    mutable std::mutex mutex_;   // protects on_: any thread may complete while the session abandons the call
    std::optional<strands> on_;  // none: the answer has come or is not awaited any more
    std::weak_ptr<receiver> const to_;
    boost::asio::cancellation_signal cancellation_;  // used on the provider's strand
};

}  // namespace holdfast::session

#endif
