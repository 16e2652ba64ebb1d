//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "redis/tls.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace holdfast::redis {
namespace {

namespace ssl = boost::asio::ssl;

[[noreturn]] void fail(char const* option, std::string const& reason)
{
    throw std::invalid_argument(std::string("tls.") + option + ": " + reason);
}

void require(boost::system::error_code const& ec, char const* option, std::string const& file)
{
    if (ec)
        fail(option, "cannot use '" + file + "': " + ec.message());
}

void load_authorities(ssl::context& context, tls_options const& options)
{
    boost::system::error_code ec;
    if (options.ca_file.empty())
        context.set_default_verify_paths(ec);
    else
        context.load_verify_file(options.ca_file, ec);
    require(ec, "ca_file", options.ca_file);
}

// An encrypted key is an error. Without this callback OpenSSL would read its password from the terminal, and block.
int no_password(char*, int, int, void*)
{
    return -1;
}

void load_own_certificate(ssl::context& context, tls_options const& options)
{
    if (options.certificate_file.empty() && options.private_key_file.empty())
        return;
    if (options.private_key_file.empty())
        fail("private_key_file", "must be set if certificate_file is set");
    if (options.certificate_file.empty())
        fail("certificate_file", "must be set if private_key_file is set");

    // Before the key is loaded.
    SSL_CTX_set_default_passwd_cb(context.native_handle(), no_password);
    boost::system::error_code ec;
    context.use_certificate_chain_file(options.certificate_file, ec);
    require(ec, "certificate_file", options.certificate_file);
    context.use_private_key_file(options.private_key_file, ssl::context::pem, ec);
    require(ec, "private_key_file", options.private_key_file);
    if (SSL_CTX_check_private_key(context.native_handle()) != 1)
        fail("private_key_file", "does not match the certificate");
}

bool is_address(std::string const& host)
{
    boost::system::error_code ec;
    boost::asio::ip::make_address(host, ec);
    return !ec;
}

// Each stream that is made from the context inherits its verification parameters, so the host can be verified without
// access to the streams. An address is compared with the addresses in the certificate, a name with the names.
void expect_host(ssl::context& context, std::string const& host)
{
    X509_VERIFY_PARAM* const expected = SSL_CTX_get0_param(context.native_handle());
    X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    int const done = is_address(host) ? X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str())
                                      : X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size());
    if (done != 1)
        throw std::invalid_argument("url: TLS cannot verify a host with this name");
}

// The names of several hosts, of which a certificate needs one.
struct host_list {
    std::vector<std::string> hosts;

    bool has(X509* certificate) const
    {
        return std::ranges::any_of(hosts, [&](std::string const& h) {
            return is_address(h)
                       ? X509_check_ip_asc(certificate, h.c_str(), 0) == 1
                       : X509_check_host(certificate, h.data(), h.size(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr)
                             == 1;
        });
    }
};

void free_hosts(void*, void* hosts, CRYPTO_EX_DATA*, int, long, void*)
{
    delete static_cast<host_list*>(hosts);
}

int place_of_hosts()
{
    static int const place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_hosts);
    return place;
}

// In place of X509_verify_cert(), which it calls. The context is that of the list, which lives as long.
int verify_one_of_hosts(X509_STORE_CTX* chain, void* hosts)
{
    if (X509_verify_cert(chain) != 1)
        return 0;
    if (static_cast<host_list*>(hosts)->has(X509_STORE_CTX_get0_cert(chain)))
        return 1;
    X509_STORE_CTX_set_error(chain, X509_V_ERR_HOSTNAME_MISMATCH);
    return 0;
}

// OpenSSL's own check knows one address, and compares a certificate with names and addresses, not with one of them.
void expect_one_of(ssl::context& context, std::vector<std::string> const& hosts)
{
    auto list = std::make_unique<host_list>(hosts);
    if (SSL_CTX_set_ex_data(context.native_handle(), place_of_hosts(), list.get()) != 1)
        throw std::bad_alloc();
    SSL_CTX_set_cert_verify_callback(context.native_handle(), verify_one_of_hosts, list.release());
}

void copy_certificate(ssl::context const& from, ssl::context& to)
{
    auto* const source = const_cast<ssl::context&>(from).native_handle();
    STACK_OF(X509)* chain = nullptr;
    SSL_CTX_get0_chain_certs(source, &chain);
    auto* const own = SSL_CTX_get0_certificate(source);
    bool const is_done = !own
                         || SSL_CTX_use_cert_and_key(to.native_handle(), own, SSL_CTX_get0_privatekey(source), chain, 1)
                                == 1;
    if (!is_done)
        throw std::bad_alloc();
}

// OpenSSL calls it when it destroys the context: the name must live as long, because a handshake may use it at any
// time.
void free_name(void*, void* name, CRYPTO_EX_DATA*, int, long, void*)
{
    delete static_cast<std::string*>(name);
}

// The index under which a context stores the name. OpenSSL assigns such indices for the whole process, so it is
// requested once; the initialisation of a static local variable is thread-safe.
int place_of_name()
{
    static int const place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_name);
    return place;
}

// The info callback, called at each step of a handshake. The stream is const in its signature, but must be changed
// before the first message of the handshake, which contains the name.
void name_the_host(SSL const* stream, int where, int)
{
    if ((where & SSL_CB_HANDSHAKE_START) == 0 || SSL_get_servername(stream, TLSEXT_NAMETYPE_host_name) != nullptr)
        return;
    auto const* name = static_cast<std::string*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(stream), place_of_name()));
    if (name != nullptr)
        SSL_set_tlsext_host_name(const_cast<SSL*>(stream), name->c_str());
}

// Sets the server name indication. Asio and OpenSSL set it for a stream, not for a context, and Boost.Redis gives no
// access to its streams before the handshake. The info callback gets each stream in time.
void send_host_name(ssl::context& context, std::string const& host)
{
    if (is_address(host))
        return;  // RFC 6066 does not allow addresses
    auto name = std::make_unique<std::string>(host);
    if (SSL_CTX_set_ex_data(context.native_handle(), place_of_name(), name.get()) != 1)
        throw std::bad_alloc();
    name.release();  // free_name() deletes it with the context
    SSL_CTX_set_info_callback(context.native_handle(), name_the_host);
}

}  // namespace

ssl::context make_tls_context(tls_options const& options, std::vector<std::string> const& hosts)
{
    ssl::context context(ssl::context::tls_client);
    // TLS 1.0 and 1.1 are deprecated (RFC 8996).
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    load_own_certificate(context, options);
    if (hosts.size() == 1)
        send_host_name(context, hosts.front());
    if (options.insecure_skip_verify) {
        context.set_verify_mode(ssl::verify_none);
        return context;
    }
    load_authorities(context, options);
    hosts.size() == 1 ? expect_host(context, hosts.front()) : expect_one_of(context, hosts);
    context.set_verify_mode(ssl::verify_peer);
    return context;
}

// OpenSSL shares the store of authorities between contexts, and counts its owners.
ssl::context make_tls_context(ssl::context const& same, std::string const& host)
{
    auto* const source = const_cast<ssl::context&>(same).native_handle();
    ssl::context context(ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    copy_certificate(same, context);
    SSL_CTX_set1_cert_store(context.native_handle(), SSL_CTX_get_cert_store(source));
    send_host_name(context, host);
    if (SSL_CTX_get_verify_mode(source) != SSL_VERIFY_NONE)
        expect_host(context, host);
    context.set_verify_mode(SSL_CTX_get_verify_mode(source));
    return context;
}

void refuse_tls_options(tls_options const& options)
{
    constexpr auto reason = "has an effect only with rediss://, rediss+cluster:// and rediss+sentinel://";
    if (!options.ca_file.empty())
        fail("ca_file", reason);
    if (!options.certificate_file.empty())
        fail("certificate_file", reason);
    if (!options.private_key_file.empty())
        fail("private_key_file", reason);
    if (!options.server_name.empty())
        fail("server_name", reason);
    if (options.insecure_skip_verify)
        fail("insecure_skip_verify", reason);
}

// The constructor of ssl::context takes over one reference, so the count is increased first.
ssl::context share(ssl::context& context)
{
    SSL_CTX_up_ref(context.native_handle());
    return ssl::context(context.native_handle());
}

std::string verification_failure(SSL* stream)
{
    auto const result = SSL_get_verify_result(stream);
    return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

bool is_other_protocol(boost::system::error_code ec) noexcept
{
    return ec.category() == boost::asio::error::get_ssl_category()
           && ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_WRONG_VERSION_NUMBER;
}

}  // namespace holdfast::redis
