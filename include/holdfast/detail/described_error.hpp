//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_DESCRIBED_ERROR_HPP
#define HOLDFAST_DETAIL_DESCRIBED_ERROR_HPP

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/config.hpp>

#include <holdfast/error.hpp>

namespace holdfast::detail {

// What an error code does not say: an option, or the server's error message. Shared, because all contenders of an
// attempt may fail with the same text. Null: nothing is known.
using error_text = std::shared_ptr<std::string const>;

// Control bytes are escaped, because users will probably log the text. Null if the words are empty.
BOOST_SYMBOL_VISIBLE error_text make_error_text(std::string_view words);

// The result of an operation, and what is known of its failure. Success has no text, so it allocates nothing.
struct described_error {
    described_error() noexcept = default;
    described_error(error_code ec) noexcept : code(ec) {}
    template <class Enum>
        requires boost::system::is_error_code_enum<Enum>::value described_error(Enum e)
    noexcept : code(e) {}
    described_error(error_code ec, error_text t) noexcept : code(ec), text(std::move(t)) {}

    operator error_code() const noexcept { return code; }
    explicit operator bool() const noexcept { return code.failed(); }

    error_code code;
    error_text text;  // null: nothing is known
};

}  // namespace holdfast::detail

#endif
