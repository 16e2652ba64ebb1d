//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/redis_server.hpp"

#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path make_folder()
{
    auto pattern = (fs::temp_directory_path() / "holdfast-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("no temporary folder could be made");
    return pattern;
}

// Free a moment ago, and not given out again soon.
unsigned short free_port()
{
    asio::io_context context;
    asio::ip::tcp::acceptor const probe(context, {asio::ip::address_v4::loopback(), 0});
    return probe.local_endpoint().port();
}

// The value of a field in what INFO says.
double number_in(std::string const& info, std::string_view field)
{
    return std::stod(info.substr(info.find(field) + field.size() + 1));
}

}  // namespace

std::string to_resp(std::vector<std::string_view> const& words)
{
    std::ostringstream out;
    out << '*' << words.size() << "\r\n";
    for (auto const& word : words)
        out << '$' << word.size() << "\r\n" << word << "\r\n";
    return out.str();
}

redis_server::redis_server(transport t)
    : folder_(make_folder()), port_(t == transport::tcp_loopback ? free_port() : static_cast<unsigned short>(0))
{
    start();
    auto const limit = std::chrono::steady_clock::now() + 30s;
    while (!try_connect()) {
        bool const ended = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
        if (ended)
            pid_ = -1;
        if (ended || std::chrono::steady_clock::now() > limit) {
            end();
            throw std::runtime_error("redis-server could not be started; is it installed?");
        }
        std::this_thread::sleep_for(5ms);
    }
}

redis_server::~redis_server()
{
    end();
}

void redis_server::start()
{
    auto const parent = ::getpid();
    auto const socket = socket_path();
    auto const port = std::to_string(port_);
    auto const log = (folder_ / "redis.log").string();
    pid_ = ::fork();
    if (pid_ != 0)
        return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(127);
    ::execlp(
        "redis-server",
        "redis-server",
        "--port",
        port.c_str(),
        "--bind",
        "127.0.0.1",
        "--unixsocket",
        socket.c_str(),
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        folder_.c_str(),
        "--logfile",
        log.c_str(),
        static_cast<char*>(nullptr));
    ::_exit(127);
}

void redis_server::end() noexcept
{
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

bool redis_server::try_connect()
{
    boost::system::error_code ec;
    control_.close(ec);
    control_.connect(socket_path(), ec);
    return !ec;
}

std::string redis_server::version()
{
    return info("redis_version");
}

std::chrono::duration<double> redis_server::cpu_time()
{
    auto const text = ask({"INFO", "cpu"});
    return std::chrono::duration<double>(number_in(text, "used_cpu_user") + number_in(text, "used_cpu_sys"));
}

server_counters redis_server::counters()
{
    auto const text = ask({"INFO", "stats"});
    return {
        number_in(text, "total_commands_processed"),
        number_in(text, "total_net_input_bytes") + number_in(text, "total_net_output_bytes")};
}

void redis_server::clear()
{
    ask({"EVAL", "redis.call('flushall') return 'done'", "0"});
}

std::string redis_server::load(std::string_view script)
{
    return ask({"SCRIPT", "LOAD", script});
}

std::string redis_server::info(std::string_view field)
{
    auto const text = ask({"INFO"});
    auto const at = text.find(std::string(field) + ":");
    if (at == text.npos)
        return {};
    auto const value = text.substr(at + field.size() + 1);
    return value.substr(0, value.find('\r'));
}

std::string redis_server::ask(std::vector<std::string_view> const& words)
{
    asio::write(control_, asio::buffer(to_resp(words)));
    std::string reply;
    auto const head = asio::read_until(control_, asio::dynamic_buffer(reply), "\r\n");
    if (reply.front() != '$')
        throw std::runtime_error("redis-server said: " + reply);
    auto const size = std::stoul(reply.substr(1)) + 2;
    if (reply.size() < head + size)
        asio::read(control_, asio::dynamic_buffer(reply), asio::transfer_exactly(head + size - reply.size()));
    return reply.substr(head, size - 2);
}

}  // namespace holdfast::bench
