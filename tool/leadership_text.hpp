//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_LEADERSHIP_TEXT_HPP
#define HOLDFAST_CLI_LEADERSHIP_TEXT_HPP

#include <string>

#include <holdfast/election.hpp>

#include "core/printable.hpp"

namespace holdfast::cli {

// "<value> (<id>) leads, term <term>".
inline std::string to_text(leader const& l)
{
    return core::printable(l.value.empty() ? l.id : l.value + " (" + l.id + ")") + " leads"
           + (l.term > 0 ? ", term " + std::to_string(l.term) : ", without a term");
}

}  // namespace holdfast::cli

#endif
