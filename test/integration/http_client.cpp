//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "http_client.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::test {

raw_connection::raw_connection(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    // A small window: a test can be a client that does not read.
    int const small = 4096;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    timeval const limit{30, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    void const* const address = &to;
    if (fd_ < 0 || ::connect(fd_, static_cast<sockaddr const*>(address), sizeof to) != 0)
        throw std::system_error(errno, std::generic_category(), "connect");
}

raw_connection::raw_connection(raw_connection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), read_(std::move(other.read_))
{}

raw_connection::~raw_connection()
{
    if (fd_ >= 0)
        ::close(fd_);
}

// The other side may have closed the connection already: the reply tells.
void raw_connection::send(std::string const& bytes)
{
    [[maybe_unused]] auto const sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string raw_connection::read_until(std::string const& text)
{
    char buffer[16 * 1024];
    while (text.empty() || read_.find(text) == read_.npos) {
        auto const n = ::recv(fd_, buffer, sizeof buffer, 0);
        if (n < 0 && errno == EAGAIN)
            throw std::runtime_error("nothing was received for 30 s, after: " + read_.substr(0, 200));
        if (n <= 0)
            break;
        read_.append(buffer, static_cast<std::size_t>(n));
    }
    return read_;
}

http_reply to_reply(std::string const& bytes)
{
    http_reply r;
    auto const end = bytes.find("\r\n\r\n");
    if (!bytes.starts_with("HTTP/1.") || end == bytes.npos)
        return r;
    r.status = std::stoi(bytes.substr(9, 3));
    r.head = bytes.substr(0, end + 2);
    r.body = bytes.substr(end + 4);
    return r;
}

http_reply http_request(
    std::uint16_t port,
    std::string const& method,
    std::string const& target,
    std::vector<std::string> const& fields,
    std::string const& body)
{
    auto text = method + " " + target + " HTTP/1.1\r\nConnection: close\r\n";
    if (std::ranges::none_of(fields, [](auto const& f) { return f.starts_with("Host:"); }))
        text += "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
    for (auto const& f : fields)
        text += f + "\r\n";
    if (!body.empty())
        text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    raw_connection connection(port);
    connection.send(text + "\r\n" + body);
    return to_reply(connection.read_all());
}

}  // namespace holdfast::test
