//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CLI_SIGNAL_SOURCE_HPP
#define HOLDFAST_CLI_SIGNAL_SOURCE_HPP

#include <signal.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace holdfast::cli {

struct received_signal {
    int number;
    bool from_terminal;  // the kernel's: it reached the command, too, which shares our terminal
};

// The signals of this process, one by one, in place of what they would do. A signalfd, not an `asio::signal_set`: only
// so we see who sent them. What was ignored when we were started (nohup, `&` in a script) stays ignored.
class signal_source {
public:
    explicit signal_source(boost::asio::any_io_executor const&);
    ~signal_source();
    signal_source(signal_source const&) = delete;
    signal_source& operator=(signal_source const&) = delete;

    // The next one; SIGCHLD among them. Cancelled, it loses none.
    boost::asio::awaitable<received_signal> next();

    // The mask that we were started with; the command's.
    sigset_t const& original_mask() const noexcept { return original_; }

private:
    sigset_t original_;
    boost::asio::posix::stream_descriptor descriptor_;
};

// Whether a signal ends us while there is no command yet that it could be passed on to.
bool ends_the_wait(int number) noexcept;

}  // namespace holdfast::cli

#endif
