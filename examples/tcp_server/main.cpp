//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// A TCP server whose processes share numbers in files. Each change of a number is made under a lock.
//
//     tcp_server FOLDER [URL [PORT]]

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <boost/asio.hpp>

#include <holdfast.hpp>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

struct service {
    holdfast::client client;
    std::filesystem::path folder;
};

bool is_name(std::string const& s)
{
    return std::ranges::all_of(s, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

long add(std::filesystem::path const& file, long change)
{
    long value = 0;
    std::ifstream(file) >> value;
    value += change;
    std::ofstream(file) << value << '\n';
    return value;
}

// Performs `add NAME CHANGE`, and returns the line with the answer.
asio::awaitable<std::string> perform(service& s, std::string line)
{
    std::istringstream words(line);
    std::string verb, name;
    long change = 0;
    if (!(words >> verb >> name >> change) || verb != "add" || !is_name(name))
        co_return "usage: add NAME CHANGE\n";

    // A handle is cheap. Numbers of different names are changed at the same time.
    holdfast::mutex lock{s.client, "number:" + name};
    auto [error, lease] = co_await lock.try_acquire({.wait = 2s}, asio::as_tuple);
    if (error)
        co_return "unavailable: " + error.message() + '\n';
    if (!lease)
        co_return "busy\n";
    co_return std::to_string(add(s.folder / name, change)) + '\n';
}  // the lease goes out of scope, which releases the lock

asio::awaitable<void> serve(tcp::socket socket, service& s)
{
    std::string input;
    for (;;) {
        auto const [end, size] = co_await asio::async_read_until(
            socket, asio::dynamic_buffer(input, 4096), '\n', asio::as_tuple);
        if (end)
            co_return;
        auto const answer = co_await perform(s, input.substr(0, size));
        input.erase(0, size);
        auto const [error, written] = co_await asio::async_write(socket, asio::buffer(answer), asio::as_tuple);
        if (error)
            co_return;
    }
}

asio::awaitable<void> listen(tcp::acceptor& acceptor, service& s)
{
    for (;;) {
        auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple);
        if (error)
            co_return;  // the acceptor was closed
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), s), asio::detached);
    }
}

// Requests that hold a lock may finish; then the leases are released, and the process ends.
asio::awaitable<void> shut_down_on_signal(asio::io_context& ioc, service& s)
{
    asio::signal_set signals(ioc, SIGINT, SIGTERM);
    co_await signals.async_wait();
    co_await s.client.shutdown({.grace = 5s});
    ioc.stop();
}

int main(int argc, char** argv)
try {
    if (argc < 2) {
        std::cerr << "usage: tcp_server FOLDER [URL [PORT]]\n";
        return 2;
    }
    asio::io_context ioc;
    service s{{ioc, {.url = argc > 2 ? argv[2] : "redis://localhost"}}, argv[1]};
    s.client.run(asio::detached);
    auto const port = static_cast<unsigned short>(argc > 3 ? std::stoi(argv[3]) : 8000);
    tcp::acceptor acceptor(ioc, {asio::ip::address_v4::loopback(), port});
    asio::co_spawn(ioc, listen(acceptor, s), asio::detached);
    asio::co_spawn(ioc, shut_down_on_signal(ioc, s), asio::detached);
    std::cout << "port " << acceptor.local_endpoint().port() << std::endl;
    ioc.run();
    std::cout << "the server has ended\n";
} catch (std::exception const& e) {
    std::cerr << "tcp_server: " << e.what() << '\n';
    return 1;
}
