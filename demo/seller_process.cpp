//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "seller_process.hpp"

#include <fcntl.h>
#include <stdexcept>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace demo {
namespace {

std::vector<std::string> command_line(seller_options const& o)
{
    std::vector<std::string> words{"/proc/self/exe", "seller"};
    for (auto& w : to_words(o))
        words.push_back(std::move(w));
    return words;
}

}  // namespace

seller_process::pipes::pipes(asio::any_io_executor const& e) : child_in(e), from_child(e), to_child(e), child_out(e)
{
    asio::connect_pipe(child_in, to_child);
    asio::connect_pipe(from_child, child_out);
    // Other sellers must not inherit these pipes: a pipe is closed only when all processes that have it have ended.
    for (int const fd :
         {child_in.native_handle(), from_child.native_handle(), to_child.native_handle(), child_out.native_handle()})
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

seller_process::seller_process(asio::any_io_executor const& e, seller_options const& o)
    : pipes_(e), program_(command_line(o), pipes_.child_in.native_handle(), pipes_.child_out.native_handle())
{
    pipes_.child_in.close();
    pipes_.child_out.close();
}

void seller_process::go()
{
    boost::system::error_code ignored;
    asio::write(pipes_.to_child, asio::buffer("go\n", 3), ignored);
}

asio::awaitable<std::string> seller_process::next()
{
    boost::system::error_code ec;
    auto const size = co_await asio::async_read_until(
        pipes_.from_child, asio::dynamic_buffer(buffer_), '\n', asio::redirect_error(asio::use_awaitable, ec));
    if (ec)
        co_return std::string();
    auto line = buffer_.substr(0, size - 1);
    buffer_.erase(0, size);
    co_return line;
}

std::vector<std::string> to_words(seller_options const& o)
{
    return {
        o.socket,
        o.sale,
        std::to_string(static_cast<int>(o.guard)),
        std::to_string(o.lease.count()),
        std::to_string(o.buyers),
        o.is_victim ? "victim" : "healthy"};
}

seller_options from_words(std::vector<std::string> const& words)
{
    if (words.size() != 6)
        throw std::invalid_argument("a seller is started by the demo itself");
    seller_options o;
    o.socket = words[0];
    o.sale = words[1];
    o.guard = static_cast<guard>(std::stoi(words[2]));
    o.lease = std::chrono::milliseconds(std::stoi(words[3]));
    o.buyers = std::stoi(words[4]);
    o.is_victim = words[5] == "victim";
    return o;
}

}  // namespace demo
