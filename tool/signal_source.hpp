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
    bool from_terminal;  // the kernel sent it, also to the command, which shares the terminal of the tool
};

// Receives the signals of this process one by one; their default actions do not happen. It uses a signalfd and not an
// `asio::signal_set`, which does not report the sender: a signal of the terminal must not be sent to the command a
// second time. A signal that was ignored when the tool was started (by nohup, or by `&` in a script) stays ignored.
//
// It blocks the signals of the calling thread, so it must be made before any other thread exists.
class signal_source {
public:
    explicit signal_source(boost::asio::any_io_executor const&);
    // Restores the signal mask.
    ~signal_source();
    signal_source(signal_source const&) = delete;
    signal_source& operator=(signal_source const&) = delete;

    // Waits for the next signal. A cancellation loses no signal: it stays pending.
    boost::asio::awaitable<received_signal> next();

    // The signal mask with which the tool was started. The command must have it, too.
    sigset_t const& original_mask() const noexcept { return original_; }

private:
    sigset_t original_;
    boost::asio::posix::stream_descriptor descriptor_;
};

// Whether a signal ends the tool while it waits for the lock: there is no command yet to which it could be sent.
bool ends_the_wait(int number) noexcept;

}  // namespace holdfast::cli

#endif
