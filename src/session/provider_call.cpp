//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "session/provider_call.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>

#include "core/memory_end.hpp"

namespace holdfast::session {

provider_call::provider_call(engine::strand session, std::weak_ptr<receiver> to)
    : on_(strands{session, engine::strand(session.get_inner_executor())}), to_(std::move(to))
{}

void provider_call::start(std::shared_ptr<credentials_provider const> provider, credentials_request what)
{
    boost::asio::post(on_->provider, [self = shared_from_this(), provider, what] {
        try {
            (*provider)(what, credentials_handler(self));
        } catch (...) {
            self->complete(std::current_exception(), {});
        }
    });
}

// The mutex is locked until this thread has left the execution context, which may end as soon as the session has ended
// the call: abandon(), forget() and the answer wait for it.
void provider_call::complete(std::exception_ptr failure, holdfast::credentials c)
{
    std::scoped_lock const guard(mutex_);
    if (!on_)
        return;
    auto answer = [self = shared_from_this(), failure = std::move(failure), c = std::move(c)]() mutable {
        self->end();
        if (auto const to = self->to_.lock())
            to->on_answer(*self, std::move(failure), std::move(c));
    };
    boost::asio::post(on_->session, std::move(answer));
    on_.reset();
}

void provider_call::abandon()
{
    if (auto const on = end())
        core::run_or_end([&] {
            boost::asio::post(on->provider, [self = shared_from_this()] {
                self->cancellation_.emit(boost::asio::cancellation_type::terminal);
            });
        });
}

void provider_call::forget() noexcept
{
    end();
}

std::optional<provider_call::strands> provider_call::end() noexcept
{
    std::scoped_lock const guard(mutex_);
    return std::exchange(on_, std::nullopt);
}

// After the end: an executor that needs no execution context, because the client's may not exist any more.
boost::asio::any_io_executor provider_call::executor() const
{
    std::scoped_lock const guard(mutex_);
    return on_ ? boost::asio::any_io_executor(on_->provider) : boost::asio::system_executor();
}

}  // namespace holdfast::session
