//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/resp_client.hpp"

#include <array>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace holdfast::test {

using simulated::value;

resp_client::resp_client(std::string const& path, protocol p) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    timeval const time_limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &time_limit, sizeof time_limit);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd_);
        throw std::runtime_error("resp_client: cannot connect to " + path);
    }
    if (p == protocol::resp3) {
        std::string_view const hello[] = {"HELLO", "3"};
        command(hello);
    }
}

resp_client::~resp_client()
{
    ::close(fd_);
}

void resp_client::send(simulated::words text)
{
    std::string request = "*" + std::to_string(text.size()) + "\r\n";
    for (auto const word : text)
        request.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    for (std::string_view rest = request; !rest.empty();) {
        auto const n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (n <= 0)
            throw std::runtime_error("resp_client: cannot send");
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

resp_client::said resp_client::read()
{
    auto const line = read_line();
    return {line[0] == '>', read_value(line)};
}

value resp_client::command(simulated::words text)
{
    send(text);
    try {
        for (;;) {
            auto next = read();
            if (!next.is_push)
                return std::move(next.what);
        }
    } catch (std::runtime_error const& e) {
        throw std::runtime_error(e.what() + (" to " + std::string(text.front())) + ' ' + std::string(text.back()));
    }
}

value resp_client::command(std::vector<std::string> const& text)
{
    std::vector<std::string_view> const views(text.begin(), text.end());
    return command(views);
}

value resp_client::read_value(std::string const& line)
{
    auto const rest = line.substr(1);
    switch (line[0]) {
        case '+': return simulated::status(rest);
        case '-': return simulated::error(rest);
        case ':': return simulated::of(std::stoll(rest));
        case ',': return simulated::bulk(rest);
        case '_': return simulated::nil();
        case '$': return rest == "-1" ? simulated::nil() : simulated::bulk(read_bytes(std::stoul(rest)));
        default: break;
    }
    auto count = std::stol(rest);
    if (count < 0)
        return simulated::nil();
    if (line[0] == '%')
        count *= 2;
    std::vector<value> items;
    while (count-- > 0)
        items.push_back(read_value(read_line()));
    return simulated::array(std::move(items));
}

std::string resp_client::read_line()
{
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == buffer_.npos)
        fill();
    auto line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
}

std::string resp_client::read_bytes(std::size_t n)
{
    while (buffer_.size() < n + 2)
        fill();
    auto bytes = buffer_.substr(0, n);
    buffer_.erase(0, n + 2);
    return bytes;
}

void resp_client::fill()
{
    std::array<char, 4096> chunk;
    auto const n = ::recv(fd_, chunk.data(), chunk.size(), 0);
    if (n <= 0)
        throw std::runtime_error("resp_client: the server says nothing");
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
}

}  // namespace holdfast::test
