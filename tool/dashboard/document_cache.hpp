//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_DASHBOARD_DOCUMENT_CACHE_HPP
#define HOLDFAST_CLI_DASHBOARD_DOCUMENT_CACHE_HPP

#include <memory>
#include <string>

#include "tool/dashboard/moment.hpp"

namespace holdfast::cli::dashboard {

// A document that is made anew at most twice a second. A document of all locks can have megabytes, so requests that
// arrive together share one, whatever their number: otherwise slow clients could fill the memory.
class document_cache {
public:
    template <class Make>
    std::shared_ptr<std::string const> get(instant now, Make const& make)
    {
        if (!text_ || now - made_ >= longest_use) {
            text_ = std::make_shared<std::string const>(make());
            made_ = now;
        }
        return text_;
    }

private:
    static constexpr std::chrono::milliseconds longest_use{500};

    std::shared_ptr<std::string const> text_;
    instant made_ = {};
};

}  // namespace holdfast::cli::dashboard

#endif
