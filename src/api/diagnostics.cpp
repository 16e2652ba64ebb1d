//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>
#include <utility>

#include <holdfast/diagnostics.hpp>

#include "core/printable.hpp"

namespace holdfast {
namespace {

boost::system::system_error to_system_error(error_code ec, diagnostics const& d)
{
    return d.message().empty() ? boost::system::system_error(ec)
                               : boost::system::system_error(ec, std::string(d.message()));
}

}  // namespace

error::error(error_code ec, diagnostics d) : system_error(to_system_error(ec, d)), diagnostics_(std::move(d)) {}

namespace detail {

error_text make_error_text(std::string_view words)
{
    return words.empty() ? nullptr : std::make_shared<std::string const>(core::printable(words));
}

std::exception_ptr make_exception(error_code ec, diagnostics d)
{
    return std::make_exception_ptr(error(ec, std::move(d)));
}

}  // namespace detail
}  // namespace holdfast
