//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The n-th allocation of an operation fails, for each n in a process of its own. Whatever fails: the operation ends with
// success or with an error, or its call throws std::bad_alloc, and the client and the lock can be used afterwards; or the
// process ends as docs/threads.md says. Nothing hangs, nothing leaks.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "support/live.hpp"
#include "support/redis_server.hpp"

namespace {

// How many allocations succeed until one fails; negative: none fails.
std::atomic<long> left = -1;
std::atomic<bool> has_failed = false;
std::atomic<bool> fails_for_good = false;  // all that follow fail, too

bool is_refused() noexcept
{
    if (left.load(std::memory_order_relaxed) < 0)
        return false;
    auto const before = left.fetch_sub(1);
    if (before > 0)
        return false;
    left = fails_for_good ? 0 : -1;
    has_failed = true;
    return true;
}

void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept
{
    void* p = nullptr;
    if (!is_refused() && ::posix_memalign(&p, alignment, size ? size : 1) != 0)
        p = nullptr;
    return p;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = alignof(std::max_align_t))
{
    if (void* p = allocate(size, alignment))
        return p;
    throw std::bad_alloc();
}

}  // namespace

// Asio takes the memory of handlers from it.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    return allocate(size, alignment);
}
void* operator new(std::size_t size)
{
    return allocate_or_throw(size);
}
void* operator new[](std::size_t size)
{
    return allocate_or_throw(size);
}
void* operator new(std::size_t size, std::align_val_t a)
{
    return allocate_or_throw(size, std::size_t(a));
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept
{
    return allocate(size);
}
void operator delete(void* p) noexcept
{
    std::free(p);
}
void operator delete[](void* p) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    std::free(p);
}
void operator delete(void* p, std::nothrow_t const&) noexcept
{
    std::free(p);
}

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using std::chrono::steady_clock;

// How the process of one n ends; the exit status of a child.
enum ending : int {
    untouched,     // it needs fewer allocations
    absorbed,      // all went well
    reported,      // the operation ended with an error
    thrown,        // its call threw std::bad_alloc
    escaped,       // std::bad_alloc left io_context::run()
    dropped,       // a handler was destroyed, not called
    stuck,         // the operation did not end
    dead,          // the client or the lock cannot be used any more
    leaking,       // something was left in the client
    documented,    // std::terminate(), after the line
    undocumented,  // without the line
};
constexpr std::array ending_names{
    "untouched",
    "absorbed",
    "reported",
    "thrown",
    "escaped",
    "dropped",
    "stuck",
    "dead",
    "leaking",
    "documented",
    "undocumented"};

[[noreturn]] void end_as(ending e)
{
    ::_exit(e);
}

// The handler of an operation. It allocates nothing itself, and its end is seen whether it is called or destroyed.
struct outcome {
    bool was_called = false;
    bool was_dropped = false;
    error_code ec = {};
    lease held = {};

    bool is_over() const noexcept { return was_called || was_dropped; }
};
class handler {
public:
    explicit handler(outcome& to, asio::cancellation_slot s = {}) noexcept : to_(&to), slot_(s) {}
    handler(handler&& other) noexcept : to_(std::exchange(other.to_, nullptr)), slot_(other.slot_) {}
    handler& operator=(handler&&) = delete;
    ~handler()
    {
        if (to_)
            to_->was_dropped = true;
    }

    using cancellation_slot_type = asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

    template <class... Ignored>
    void operator()(error_code ec, Ignored const&...)
    {
        note(ec);
    }
    void operator()(error_code ec, lease l)
    {
        to_->held = std::move(l);
        note(ec);
    }
    void operator()(error_code ec, leadership l)
    {
        to_->held = detail::take_lease(l);
        note(ec);
    }

private:
    void note(error_code ec) noexcept
    {
        to_->ec = ec;
        std::exchange(to_, nullptr)->was_called = true;
    }

    outcome* to_;  // null: moved from, or called
    asio::cancellation_slot slot_;
};

using servers = std::deque<redis_server>;
using wait_time = std::optional<std::chrono::milliseconds>;

// One child: an event loop with a client of each server.
class trial {
public:
    explicit trial(servers const& of) : trial(of, &redis_server::url) {}
    // Without a client.
    trial() { context_.emplace(1); }
    trial(servers const& of, std::string (redis_server::*url)() const) : trial()
    {
        for (auto const& s : of)
            connect((s.*url)());
    }

    static config options(std::string url)
    {
        auto c = live::quick(std::move(url));
        c.lease = long_lease;
        c.log = [](auto, auto) {};
        return c;
    }

    void connect(std::string url)
    {
        connect(options(std::move(url)));
        run_until([this] { return ready_.is_over(); });
        if (ready_.ec)
            end_as(dead);
    }
    void connect(config const& c)
    {
        auto& made = clients_.emplace_back(*context_, c);
        ready_ = outcome();
        made.run([](error_code) {});
        made.ready(handler(ready_));
    }
    outcome const& ready() const noexcept { return ready_; }

    holdfast::client& client(std::size_t i = 0) { return clients_.at(i); }
    std::deque<holdfast::client>& clients() { return clients_; }
    asio::io_context& context() { return *context_; }
    void end_context() { context_.reset(); }

    static void fail_at(long n, bool for_good = false)
    {
        fails_for_good = for_good;
        left = n - 1;
    }
    static void end_failing() { left = -1; }
    template <class Function>
    static void without_failing(Function f)
    {
        auto const before = left.exchange(-1);
        f();
        left = before;
    }

    template <class Predicate>
    void run_until(Predicate holds, std::chrono::milliseconds limit = 20s, ending otherwise = stuck)
    {
        auto const end = steady_clock::now() + limit;
        while (!holds()) {
            if (steady_clock::now() > end)
                end_as(otherwise);
            context_->restart();
            try {
                context_->run_one_for(5ms);
            } catch (std::bad_alloc const&) {
                end_as(escaped);
            }
        }
    }

    void run_for(std::chrono::milliseconds d)
    {
        auto const end = steady_clock::now() + d;
        run_until([&] { return steady_clock::now() >= end; });
    }

    // Runs an operation to its end. `start` gets the handler. Returns the lease that it ended with.
    template <class Start>
    lease finish(Start start)
    {
        outcome o;
        try {
            start(handler(o));
        } catch (std::bad_alloc const&) {
            has_thrown_ = true;
            return {};
        }
        await(o);
        return std::move(o.held);
    }

    // The same; a lease is destroyed.
    template <class Start>
    void run(Start start)
    {
        auto const ignored = finish(std::move(start));
    }

    void await(outcome const& o)
    {
        run_until([&] { return o.is_over(); });
        if (!o.was_called)
            end_as(dropped);
        has_error_ = has_error_ || o.ec;
    }
    void note_thrown() noexcept { has_thrown_ = true; }

    // Ends the child, after a look at what is left. `acquire`: void(trial&, wait_time, handler).
    template <class Acquire>
    [[noreturn]] void conclude(Acquire const& acquire)
    {
        bool const failed = has_failed;
        end_failing();
        auto const e = !failed ? untouched : has_thrown_ ? thrown : has_error_ ? reported : absorbed;
        try_to([this](handler h) {
            mutex(client(), "another" + std::to_string(::getpid())).try_acquire({.wait = 5s}, std::move(h));
        });
        try_to([&](handler h) { acquire(*this, wait_time(5s), std::move(h)); });
        auto const is_empty = [](holdfast::client& c) {
            auto const left = live::census(c);
            return left.arbiters == 0 && left.releases == 0;
        };
        run_until([&] { return std::ranges::all_of(clients_, is_empty); }, 5s, leaking);
        end_as(e);
    }

private:
    template <class Start>
    void try_to(Start start)
    {
        outcome o;
        start(handler(o));
        run_until([&] { return o.is_over(); }, 15s, dead);
        if (!o.held.valid())
            end_as(dead);
    }

    std::optional<asio::io_context> context_;
    std::deque<holdfast::client> clients_;
    outcome ready_;
    bool has_thrown_ = false;
    bool has_error_ = false;
};

// Acquires a lock of one kind: an attempt with that time, or without a time limit.
using acquirer = std::function<void(trial&, wait_time, handler)>;

template <class Make>
acquirer acquirer_of(Make make)
{
    return [make](trial& t, wait_time wait, handler h) {
        auto const l = make(t);
        if (wait)
            l.try_acquire({.wait = *wait}, std::move(h));
        else
            l.acquire(std::move(h));
    };
}

struct kind {
    char const* name;
    std::size_t servers;
    any_lock (*make)(trial&, std::string const&);
};

any_lock make_multi(trial& t, std::string const& n)
{
    return multi_lock(
        mutex(t.client(), n + "1"),
        mutex(t.client(), n + "2"),
        reentrant_lock(t.client(), n + "3", t.client().make_owner()));
}
any_lock make_red(trial& t, std::string const& n)
{
    std::vector<client const*> all;
    for (auto const& c : t.clients())
        all.push_back(&c);
    return red_lock(all, n, {.node_timeout = 5s, .trust_new_nodes = true});
}

constexpr std::array kinds{
    kind{"mutex", 1, [](trial& t, std::string const& n) { return any_lock(mutex(t.client(), n)); }},
    kind{
        "fenced mutex",
        1,
        [](trial& t, std::string const& n) { return any_lock(mutex(t.client(), n, {.fencing = true})); }},
    kind{
        "reentrant_lock",
        1,
        [](trial& t, std::string const& n) {
            return any_lock(reentrant_lock(t.client(), n, t.client().make_owner()));
        }},
    kind{"fair_lock", 1, [](trial& t, std::string const& n) { return any_lock(fair_lock(t.client(), n)); }},
    kind{"read", 1, [](trial& t, std::string const& n) { return any_lock(read_write_lock(t.client(), n).read()); }},
    kind{"write", 1, [](trial& t, std::string const& n) { return any_lock(read_write_lock(t.client(), n).write()); }},
    kind{
        "semaphore",
        1,
        [](trial& t, std::string const& n) { return any_lock(semaphore(t.client(), n, {.permits = 1})); }},
    kind{"multi_lock", 1, make_multi},
    kind{"red_lock", 3, make_red},
    kind{"election", 1, nullptr},
};

acquirer acquirer_of(kind const& k, std::string const& name)
{
    if (k.make)
        return acquirer_of([make = k.make, name](trial& t) { return make(t, name); });
    return [name](trial& t, wait_time wait, handler h) {
        election(t.client(), name).campaign("value", {.wait = wait}, std::move(h));
    };
}

using act = std::function<void(long n, std::string const& name)>;  // in the child; does not return

// Runs the act in a child. `words`: what it wrote to standard error.
ending end_of(act const& a, long n, std::string& words)
{
    static unsigned long children = 0;
    auto const name = "m"
                      + std::to_string(++children);  // a child that ends as documented leaves its lock on the server
    std::array<int, 2> errors{};
    REQUIRE(::pipe(errors.data()) == 0);
    auto const pid = ::fork();
    if (pid == 0) {
        ::dup2(errors[1], STDERR_FILENO);
        rlimit const no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        for (int const s : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            std::signal(s, SIG_DFL);
        ::alarm(120);  // a child that hangs ends with a signal
        try {
            a(n, name);
        } catch (...) {
            end_as(escaped);
        }
        end_as(stuck);
    }
    ::close(errors[1]);
    std::array<char, 512> part{};
    for (ssize_t got = 0; (got = ::read(errors[0], part.data(), part.size())) > 0;)
        words.append(part.data(), std::size_t(got));
    ::close(errors[0]);
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    if (WIFEXITED(status))
        return ending(WEXITSTATUS(status));
    bool const is_documented = WTERMSIG(status) == SIGABRT
                               && words.starts_with("holdfast: out of memory: the process ends\n");
    return is_documented ? documented : undocumented;
}

// Each n until the act has no such allocation, or four were wrong.
void survey(act const& a, std::initializer_list<ending> allowed)
{
    std::array<long, ending_names.size()> all{};
    int wrong = 0;
    for (long n = 1; n < 2000 && all[untouched] == 0 && wrong < 4; ++n) {
        std::string words;
        auto const e = end_of(a, n, words);
        ++all.at(e);
        bool const is_allowed = e == untouched || e == absorbed || e == documented
                                || std::ranges::count(allowed, e) > 0;
        INFO("allocation " << n << ": " << ending_names.at(e) << ": " << words);
        CHECK(is_allowed);
        wrong += !is_allowed;
    }
    std::string line;
    for (std::size_t e = 0; e < all.size(); ++e)
        if (all[e] > 0)
            line += (line.empty() ? "" : ", ") + std::to_string(all[e]) + " " + ending_names[e];
    WARN(line);
    CHECK(all[untouched] == 1);
}

// The places in `kinds`.
auto each_kind()
{
    return Catch::Generators::range(std::size_t(0), kinds.size());
}

// A contender of that kind that excludes it: two readers do not exclude each other.
acquirer rival_of(kind const& k, std::string const& name)
{
    return acquirer_of(k.name == "read"sv ? kinds[5] : k, name);
}

TEST_CASE("an acquire and a release end, or the process does as documented, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    // A red_lock starts a coroutine of Asio, which is not destroyed without memory.
    bool const for_good = GENERATE(false, true) && k.name != "red_lock"sv;
    CAPTURE(k.name, for_good);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t(redis);
        auto const acquire = acquirer_of(k, name);
        t.fail_at(n, for_good);
        auto held = t.finish([&](handler h) { acquire(t, std::nullopt, std::move(h)); });
        if (held.valid())
            t.run([&](handler h) { held.release(std::move(h)); });
        t.conclude(acquire);
    };
    survey(once, {reported, thrown});
}

TEST_CASE("an attempt on a lock that is held ends, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    auto const wait = GENERATE(0ms, 10ms);
    CAPTURE(k.name, wait.count());
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t(redis);
        trial other(redis);
        auto const acquire = acquirer_of(k, name);
        auto const block = rival_of(k, name);
        auto held = other.finish([&](handler h) { block(other, std::nullopt, std::move(h)); });
        t.fail_at(n);
        t.run([&](handler h) { acquire(t, wait, std::move(h)); });
        t.end_failing();
        other.run([&](handler h) { held.release(std::move(h)); });
        t.conclude(acquire);
    };
    survey(once, {reported, thrown});
}

TEST_CASE("an acquire that waits is granted, or cancelled, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    bool const is_cancelled = GENERATE(false, true);
    CAPTURE(k.name, is_cancelled);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t(redis);
        trial other(redis);
        auto const acquire = acquirer_of(k, name);
        auto const block = rival_of(k, name);
        auto blocking = other.finish([&](handler h) { block(other, std::nullopt, std::move(h)); });
        asio::cancellation_signal signal;
        auto const release = [&] { other.run([&](handler h) { blocking.release(std::move(h)); }); };
        t.fail_at(n);
        auto held = t.finish([&](handler h) {
            outcome waiting;
            acquire(t, std::nullopt, handler(waiting, signal.slot()));
            t.run_for(10ms);
            try {
                if (is_cancelled)
                    signal.emit(asio::cancellation_type::total);
            } catch (std::bad_alloc const&) {
                t.note_thrown();
                t.end_failing();
                signal.emit(asio::cancellation_type::total);
            }
            if (!is_cancelled)
                t.without_failing(release);
            t.await(waiting);
            std::move(h)(waiting.ec, std::move(waiting.held));
        });
        if (held.valid())
            t.run([&](handler h) { held.release(std::move(h)); });
        t.end_failing();
        if (blocking.valid())
            release();
        t.conclude(acquire);
    };
    survey(once, {reported, thrown});
}

TEST_CASE("a destroyed lease is released, or the process ends as documented, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    bool const for_good = GENERATE(false, true);
    CAPTURE(k.name, for_good);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t(redis);
        auto const acquire = acquirer_of(k, name);
        auto held = t.finish([&](handler h) { acquire(t, std::nullopt, std::move(h)); });
        t.run_for(5ms);
        t.fail_at(n, for_good);
        held = lease();
        t.run_for(5ms);
        t.conclude(acquire);
    };
    survey(once, {});
}

TEST_CASE("a client and its context end, or the process does as documented, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    // The context destroys the coroutines of several locks by a post, in a destructor of Asio.
    bool const is_client_first = GENERATE(false, true) || k.name == "multi_lock"sv || k.name == "red_lock"sv;
    CAPTURE(k.name, is_client_first);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        std::optional<trial> t(redis);
        auto const acquire = acquirer_of(k, name);
        auto held = t->finish([&](handler h) { acquire(*t, std::nullopt, std::move(h)); });
        outcome waiting;
        rival_of(k, name)(*t, std::nullopt, handler(waiting));
        t->run_for(5ms);
        t->fail_at(n);
        if (is_client_first) {
            t->clients().clear();
            t->await(waiting);
        }
        t->end_context();
        held = lease();
        t.reset();
        trial::end_failing();
        trial(redis).conclude(acquirer_of(k, name + "x"));
    };
    survey(once, {});
}

}  // namespace
}  // namespace holdfast::test
