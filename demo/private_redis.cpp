//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "private_redis.hpp"

#include <chrono>
#include <stdexcept>
#include <stdlib.h>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path make_folder()
{
    auto name = (fs::temp_directory_path() / "holdfast-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("cannot create " + name);
    return name;
}

bool is_listening(std::string const& path)
{
    boost::asio::io_context context;
    boost::asio::local::stream_protocol::socket socket(context);
    boost::system::error_code ec;
    socket.connect(path, ec);
    return !ec;
}

void wait_for(std::string const& path)
{
    for (int i = 0; i < 1000; ++i) {
        if (is_listening(path))
            return;
        std::this_thread::sleep_for(10ms);
    }
    throw std::runtime_error("redis-server does not start");
}

}  // namespace

private_redis::private_redis() : folder_(make_folder())
{
    try {
        std::vector<std::string> const words{
            "redis-server",
            "--port",
            "0",
            "--unixsocket",
            socket(),
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            folder_.string()};
        server_ = std::make_unique<program>(words, -1, -1);
        wait_for(socket());
    } catch (...) {
        server_.reset();
        fs::remove_all(folder_);
        throw;
    }
}

private_redis::~private_redis()
{
    server_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

}  // namespace demo
