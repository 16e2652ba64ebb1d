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

resp_client::resp_client(std::string const& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    timeval const patience{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd_);
        throw std::runtime_error("resp_client: cannot connect to " + path);
    }
}

resp_client::~resp_client()
{
    ::close(fd_);
}

resp_value resp_client::command(std::vector<std::string> const& words)
{
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (auto const& w : words)
        request += "$" + std::to_string(w.size()) + "\r\n" + w + "\r\n";
    for (std::string_view rest = request; !rest.empty();) {
        auto const n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (n <= 0)
            throw std::runtime_error("resp_client: cannot send");
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return read_value();
}

resp_value resp_client::read_value()
{
    using kind = resp_value::kind;
    auto const line = read_line();
    auto const rest = line.substr(1);
    switch (line[0]) {
        case '+': return {kind::text, 0, rest, {}};
        case '-': return {kind::error, 0, rest, {}};
        case ':': return {kind::integer, std::stoll(rest), {}, {}};
        case '$': return rest == "-1" ? resp_value{} : resp_value{kind::text, 0, read_bytes(std::stoul(rest)), {}};
        case '*': break;
        default: throw std::runtime_error("resp_client: not understood: " + line);
    }
    if (rest == "-1")
        return {};
    resp_value list{kind::array, 0, {}, {}};
    for (auto n = std::stoul(rest); n > 0; --n)
        list.items.push_back(read_value());
    return list;
}

std::string resp_client::read_line()
{
    auto end = buffer_.find("\r\n");
    for (; end == buffer_.npos; end = buffer_.find("\r\n"))
        fill();
    auto const line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
}

std::string resp_client::read_bytes(std::size_t n)
{
    while (buffer_.size() < n + 2)
        fill();
    auto const bytes = buffer_.substr(0, n);
    buffer_.erase(0, n + 2);
    return bytes;
}

void resp_client::fill()
{
    std::array<char, 4096> chunk;
    auto const n = ::recv(fd_, chunk.data(), chunk.size(), 0);
    if (n <= 0)
        throw std::runtime_error("resp_client: the server does not answer");
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
}

}  // namespace holdfast::test
