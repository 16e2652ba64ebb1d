//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/redis_server.hpp"

#include <cstdlib>
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

// A port that was just closed: the system does not assign it again soon.
unsigned short free_port()
{
    asio::io_context context;
    asio::ip::tcp::acceptor const probe(context, {asio::ip::address_v4::loopback(), 0});
    return probe.local_endpoint().port();
}

fs::path key_of(fs::path const& certificate)
{
    return fs::path(certificate).replace_extension("key");
}

void make_certificate(fs::path const& file)
{
    auto const command = "openssl req -x509 -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
                         " -subj /CN=holdfast-bench -addext subjectAltName=IP:127.0.0.1 -out "
                         + file.string() + " -keyout " + key_of(file).string() + " > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0)
        throw std::runtime_error("openssl made no certificate; is it installed?");
}

// The value of a field in the reply to INFO.
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

redis_server::redis_server(transport t) : transport_(t), folder_(make_folder())
{
    if (t != transport::unix_socket)
        port_ = free_port();
    if (t == transport::tls) {
        tls_port_ = free_port();
        make_certificate(certificate());
    }
    await_start();
}

redis_server::redis_server(replica_of primary)
    : transport_(transport::unix_socket), folder_(make_folder()), primary_(primary.port)
{
    await_start();
    await_data();
}

redis_server::redis_server(cluster_node)
    : transport_(transport::tcp_loopback), folder_(make_folder()), port_(free_port()), bus_port_(free_port())
{
    await_start();
}

void redis_server::await_start()
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

void redis_server::await_data()
{
    auto const limit = std::chrono::steady_clock::now() + 30s;
    while (info("master_link_status") != "up") {
        if (std::chrono::steady_clock::now() > limit) {
            end();
            throw std::runtime_error("the replica got no data");
        }
        std::this_thread::sleep_for(5ms);
    }
}

redis_server::~redis_server()
{
    end();
}

std::string redis_server::url(transport t) const
{
    switch (t) {
        case transport::unix_socket: return "unix://" + socket_path();
        case transport::tls: return "rediss://127.0.0.1:" + std::to_string(tls_port_);
        default: return "redis://" + address();
    }
}

std::vector<std::string> redis_server::command_line() const
{
    std::vector<std::string> words{"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1"};
    auto const add = [&](std::string const& option, std::string const& value) {
        words.push_back("--" + option);
        words.push_back(value);
    };
    add("unixsocket", socket_path());
    add("save", "");
    add("appendonly", "no");
    add("dir", folder_);
    add("logfile", folder_ / "redis.log");
    add("repl-diskless-sync-delay", "0");
    if (bus_port_ != 0) {
        add("cluster-enabled", "yes");
        add("cluster-port", std::to_string(bus_port_));
    }
    if (primary_ != 0) {
        add("replicaof", "127.0.0.1");
        words.push_back(std::to_string(primary_));
    }
    if (transport_ == transport::tls) {
        add("tls-port", std::to_string(tls_port_));
        add("tls-cert-file", certificate());
        add("tls-key-file", key_of(certificate()));
        add("tls-ca-cert-file", certificate());
        add("tls-auth-clients", "no");
    }
    return words;
}

void redis_server::start()
{
    auto const words = command_line();
    std::vector<char*> arguments;
    for (auto const& w : words)
        arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    auto const parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0)
        return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent)
        ::execvp(arguments.front(), arguments.data());
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
    auto const text = query({"INFO", "cpu"});
    return std::chrono::duration<double>(number_in(text, "used_cpu_user") + number_in(text, "used_cpu_sys"));
}

server_counters redis_server::counters()
{
    auto const text = query({"INFO", "stats"});
    return {
        number_in(text, "total_commands_processed"),
        number_in(text, "total_net_input_bytes") + number_in(text, "total_net_output_bytes")};
}

void redis_server::clear()
{
    query({"EVAL", "redis.call('flushall') return 'done'", "0"});
}

std::string redis_server::load(std::string_view script)
{
    return query({"SCRIPT", "LOAD", script});
}

std::string redis_server::info(std::string_view field)
{
    auto const text = query({"INFO"});
    auto const at = text.find(std::string(field) + ":");
    if (at == text.npos)
        return {};
    auto const value = text.substr(at + field.size() + 1);
    return value.substr(0, value.find('\r'));
}

std::string redis_server::query(std::vector<std::string_view> const& words)
{
    asio::write(control_, asio::buffer(to_resp(words)));
    std::string reply;
    auto const head = asio::read_until(control_, asio::dynamic_buffer(reply), "\r\n");
    if (reply.front() == '+')
        return reply.substr(1, head - 3);
    if (reply.front() != '$')
        throw std::runtime_error("redis-server said: " + reply);
    auto const size = std::stoul(reply.substr(1)) + 2;
    if (reply.size() < head + size)
        asio::read(control_, asio::dynamic_buffer(reply), asio::transfer_exactly(head + size - reply.size()));
    return reply.substr(head, size - 2);
}

}  // namespace holdfast::bench
