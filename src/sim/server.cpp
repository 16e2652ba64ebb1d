//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <holdfast/testing/server.hpp>

#include "sim/memory_server.hpp"
#include "sim/memory_session.hpp"
#include "sim/session_registry.hpp"

namespace holdfast::testing {
namespace {

using simulated::value;

// A string with a time to live is a held lock for each kind of lock, because it may be a lock of another library.
constexpr std::string_view foreign_holder = "somebody else";
constexpr std::string_view foreign_lease_ms = "86400000";  // a day: it does not expire during a test

// The key or channel that the library derives from the name of a lock, as core::prefixed().
std::string in_tag(std::string_view prefix, std::string_view name)
{
    bool const tagged = name.find('{') != name.npos;
    return std::string(prefix).append(tagged ? ":" : ":{").append(name).append(tagged ? "" : "}");
}

}  // namespace

struct server::impl {
    // Registered under a name of its own, which config() puts into the URL: so the clients of this context find it.
    explicit impl(boost::asio::any_io_executor const& e)
        : registry(boost::asio::use_service<simulated::session_registry>(
            boost::asio::query(e, boost::asio::execution::context))),
          host(std::make_shared<simulated::memory_server>()),
          name(registry.add(host))
    {
        // This reference, too, makes the linker take the object file: for programs without the CMake target's option.
        simulated::holdfast_serve_memory_urls();
    }

    ~impl() { registry.remove(name); }

    value execute(std::initializer_list<std::string_view> text) const
    {
        return host->execute({text.begin(), text.size()});
    }

    // Deletes the lock, and the slots of its readers. For a string HKEYS is an error, which has no items. The queue of
    // a fair lock stays, because release() notifies its first waiter.
    void erase(std::string_view lock) const
    {
        auto const fields = execute({"HKEYS", lock});
        auto const slots = lock.find('{') != lock.npos ? std::string(lock) : "{" + std::string(lock) + "}";
        for (auto const& f : fields.items)
            execute({"DEL", slots + ":" + f.text + ":rwlock_timeout:1"});
        execute({"DEL", lock});
    }

    // Publishes the unlock message on the channel of each kind of lock, because a name does not show the kind. A fair
    // lock notifies its first waiter only, on a channel of that waiter.
    void publish_unlock(std::string_view lock) const
    {
        execute({"PUBLISH", in_tag("redisson_lock__channel", lock), "0"});
        execute({"PUBLISH", in_tag("redisson_rwlock", lock), "1"});
        auto const head = execute({"LINDEX", in_tag("redisson_lock_queue", lock), "0"});
        if (!head.is_nil() && !head.is_error())
            execute({"PUBLISH", in_tag("redisson_lock__channel", lock) + ":" + head.text, "0"});
    }

    simulated::session_registry& registry;                 // a service of the context, which must outlive this object
    std::shared_ptr<simulated::memory_server> const host;  // shared with the connections of its clients
    std::string const name;
};

server::server(boost::asio::any_io_executor e) : impl_(std::make_unique<impl>(e)) {}
server::~server() = default;

holdfast::config server::config() const
{
    holdfast::config c;
    c.url = "memory://" + impl_->name;
    return c;
}

void server::expire(std::string_view name)
{
    if (is_locked(name))
        impl_->erase(name);
}

// The old key is deleted with its slots first: SET would replace the key only.
void server::hold(std::string_view name)
{
    impl_->erase(name);
    impl_->execute({"SET", name, foreign_holder, "PX", foreign_lease_ms});
}

void server::release(std::string_view name)
{
    if (!is_locked(name))
        return;
    impl_->erase(name);
    impl_->publish_unlock(name);
}

// A restart without persistence loses the keys of a fair lock's queue and the marks of waiters, too.
void server::drop(std::string_view name)
{
    impl_->erase(name);
    for (auto const* const kind :
         {"redisson_lock_queue",
          "redisson_lock_timeout",
          "holdfast_lock_waiters",
          "holdfast_lock_priority",
          "holdfast_writer_waiting",
          "holdfast_readers_waiting"})
        impl_->execute({"DEL", in_tag(kind, name)});
}

void server::pause()
{
    impl_->host->pause();
}
void server::resume()
{
    impl_->host->resume();
}
void server::disconnect()
{
    impl_->host->disconnect_all();
}

void server::restart(memory keys)
{
    impl_->host->restart(keys == memory::lost);
}

void server::refuse(refusal why)
{
    using simulated::condition;
    auto const be = [this](condition c) { impl_->host->refuse(c, {}); };
    switch (why) {
        case refusal::out_of_memory: return be(condition::out_of_memory);
        case refusal::disk_error: return be(condition::disk_error);
        case refusal::no_replicas: return be(condition::no_replicas);
        case refusal::read_only: return be(condition::replica);
        case refusal::loading: return be(condition::loading);
        case refusal::busy: return be(condition::busy);
        case refusal::not_permitted:
            return impl_->host->refuse(
                condition::normal, "NOPERM this user has no permissions to access one of the keys used as arguments");
        case refusal::moved: return impl_->host->refuse(condition::normal, "MOVED 866 10.0.0.2:6379");
    }
}

void server::accept()
{
    impl_->host->refuse(simulated::condition::normal, {});
}

void server::delay(std::chrono::milliseconds d)
{
    impl_->host->delay(d);
}

void server::lose_reply()
{
    impl_->host->lose_reply();
}

void server::advance(std::chrono::milliseconds d)
{
    impl_->host->clock()->advance(d);
}

// The key of each kind of lock exists exactly while the lock is held.
bool server::is_locked(std::string_view name) const
{
    return impl_->execute({"EXISTS", name}).integer != 0;
}

}  // namespace holdfast::testing
