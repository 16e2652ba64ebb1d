//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_COMPOSITE_HPP
#define HOLDFAST_COMPOSITE_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client_state.hpp"
#include "lockable.hpp"
#include "try_each.hpp"

namespace holdfast::detail {

// Several locks as one. It is had when a quorum of them is.
class composite : public lockable {
public:
    lockables const& members() const noexcept { return members_; }
    std::size_t quorum() const noexcept { return quorum_; }
    std::string const& complaint() const noexcept { return complaint_; }

    // Why its lease must not be extended by so much; empty: it may.
    virtual std::string complaint_about_extension(std::chrono::milliseconds by) const;

    std::string_view name() const noexcept final { return name_; }
    // Of the first member whose client lives, if possible one that is not stopped.
    std::shared_ptr<client_state> home() const noexcept final;
    void ask_locked(handler_at<void(error_code, bool)>) const final;
    void force_release(handler_at<void(error_code, bool)>) const final;
    void ask_holders(handler_at<void(error_code, std::vector<holder>)>) const final;

protected:
    // With a complaint nothing can be done with it but to hear that.
    composite(std::string name, lockables members, std::size_t quorum, std::string complaint);

    // Why nothing can be sent; told to its home(), too.
    error_code obstacle(std::shared_ptr<client_state> const& home) const;

private:
    std::string const name_;
    lockables const members_;
    std::size_t const quorum_;
    std::string const complaint_;
};

// A function, since GCC 12 destroys an aggregate that is made in a co_await expression twice.
template <class Token>
auto acquire(std::shared_ptr<lockable const> const& l, acquire_request const& request, Token&& token)
{
    return initiate<void(error_code, lease)>(acquire_launch{{l}, request}, std::forward<Token>(token));
}

}  // namespace holdfast::detail

#endif
