//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DEMO_SELLER_PROCESS_HPP
#define HOLDFAST_DEMO_SELLER_PROCESS_HPP

#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/writable_pipe.hpp>

#include "program.hpp"
#include "seller.hpp"

namespace demo {

namespace asio = boost::asio;

// A seller, as the parent uses it: this program, started with the seller's options as its arguments.
class seller_process {
public:
    seller_process(asio::any_io_executor const&, seller_options const&);

    void go();                            // starts the sale in a seller that has reported "ready"
    asio::awaitable<std::string> next();  // its next report; empty: it has ended
    void send(int signal) { program_.send(signal); }
    void kill() { program_.kill(); }

private:
    struct pipes {
        explicit pipes(asio::any_io_executor const&);
        asio::readable_pipe child_in, from_child;
        asio::writable_pipe to_child, child_out;
    };

    pipes pipes_;
    program program_;
    std::string buffer_;
};

// Converts the options of a seller to arguments, and back.
std::vector<std::string> to_words(seller_options const&);
seller_options from_words(std::vector<std::string> const&);

}  // namespace demo

#endif
