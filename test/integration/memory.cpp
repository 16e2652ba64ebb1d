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
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine/port/strand.hpp"
#include "support/certificates.hpp"
#include "support/live.hpp"
#include "support/redis_server.hpp"
#include "support/resp_client.hpp"
#include "support/sentinel.hpp"
#include "support/server_cluster.hpp"
#include "support/tls_port.hpp"

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
    terminated,    // std::terminate(), without the line
    double_free,   // the C library found a member of an object that was destroyed twice
    undocumented,  // another end
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
    "terminated",
    "double_free",
    "undocumented"};

// Not the exit status of another end, such as that of a sanitizer.
constexpr int first_status = 64;

[[noreturn]] void end_as(ending e)
{
    ::_exit(first_status + e);
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
    // Of a coroutine.
    void operator()(std::exception_ptr e) { note(e ? error_code(errc::unavailable) : error_code()); }
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

    // Connects a client while an allocation may fail.
    void connect_at(long n, config const& c)
    {
        fail_at(n);
        try {
            connect(c);
        } catch (std::bad_alloc const&) {
            note_thrown();
            end_failing();
            clients_.clear();
            connect(c);
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

    // Cancels an operation. Asio may throw where it cancels a coroutine.
    void emit(asio::cancellation_signal& s, asio::cancellation_type type)
    {
        try {
            s.emit(type);
        } catch (std::bad_alloc const&) {
            note_thrown();
            end_failing();
            s.emit(type);
        }
    }

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
any_lock red_of(trial& t, std::string const& n, std::chrono::milliseconds node_timeout)
{
    std::vector<client const*> all;
    for (auto const& c : t.clients())
        all.push_back(&c);
    return red_lock(all, n, {.node_timeout = node_timeout, .trust_new_nodes = true});
}
any_lock make_red(trial& t, std::string const& n)
{
    return red_of(t, n, 5s);
}
// Of clients with a short lease time.
any_lock make_brief_red(trial& t, std::string const& n)
{
    return red_of(t, n, 50ms);
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
    kind{
        "fair semaphore",
        1,
        [](trial& t, std::string const& n) {
            return any_lock(semaphore(t.client(), n, {.permits = 1, .fair = true}));
        }},
    kind{
        "numbered semaphore",
        1,
        [](trial& t, std::string const& n) {
            return any_lock(semaphore(t.client(), n, {.permits = 1, .numbered = true}));
        }},
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

// A child that runs an act.
struct forked_trial {
    pid_t process;
    int errors;  // what it writes to standard error
};

forked_trial fork_trial(act const& a, long n)
{
    static unsigned long children = 0;
    // A name of its own: a child that ends as documented leaves its lock on the server.
    auto const name = "m" + std::to_string(++children);
    std::array<int, 2> errors{};
    REQUIRE(::pipe(errors.data()) == 0);
    auto const pid = ::fork();
    REQUIRE(pid >= 0);
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
    return {pid, errors[0]};
}

// Waits for it. `words`: what it wrote.
ending end_of(forked_trial const& c, std::string& words)
{
    std::array<char, 512> part{};
    for (ssize_t got = 0; (got = ::read(c.errors, part.data(), part.size())) > 0;)
        words.append(part.data(), std::size_t(got));
    ::close(c.errors);
    int status = 0;
    REQUIRE(::waitpid(c.process, &status, 0) == c.process);
    if (WIFEXITED(status))
        return WEXITSTATUS(status) < first_status ? undocumented : ending(WEXITSTATUS(status) - first_status);
    if (WTERMSIG(status) != SIGABRT)
        return undocumented;
    if (words.starts_with("holdfast: out of memory: the process ends\n"))
        return documented;
    if (words.starts_with("free(): double free"))
        return double_free;
    return words.starts_with("terminate called") ? terminated : undocumented;
}

// Each n until the act has no such allocation, or four were wrong. Several children run at the same time: each waits
// more than it computes.
void survey_once(act const& a, std::vector<ending> const& allowed)
{
    constexpr std::size_t most = 8;
    std::deque<forked_trial> running;
    std::array<long, ending_names.size()> all{};
    int wrong = 0;
    long begun = 0;
    for (long n = 1; n < 2000 && all[untouched] == 0 && wrong < 4; ++n) {
        while (running.size() < most)
            running.push_back(fork_trial(a, ++begun));
        std::string words;
        auto const e = end_of(running.front(), words);
        running.pop_front();
        ++all.at(e);
        bool const is_allowed = e == untouched || e == absorbed || e == documented
                                || std::ranges::count(allowed, e) > 0;
        INFO("allocation " << n << ": " << ending_names.at(e) << ": " << words);
        CHECK(is_allowed);
        wrong += !is_allowed;
    }
    for (auto const& c : running) {
        std::string ignored;
        end_of(c, ignored);
    }
    std::string line;
    for (std::size_t e = 0; e < all.size(); ++e)
        if (all[e] > 0)
            line += (line.empty() ? "" : ", ") + std::to_string(all[e]) + " " + ending_names[e];
    INFO(line);
    CHECK(all[untouched] == 1);
}

// A server that does not have a script yet costs allocations, and the first child that lives on ends that. So the last ones
// without them are only counted in a second pass.
void survey(act const& a, std::vector<ending> const& allowed)
{
    for (int pass = 0; pass < 2; ++pass)
        survey_once(a, allowed);
}

// The places in `kinds`.
auto each_kind()
{
    return Catch::Generators::range(std::size_t(0), kinds.size());
}

// Whether a case runs again with its second condition, which is for the kinds that do it by code of their own: a case has
// some hundred children for each kind.
bool is_varied(kind const& k)
{
    return std::ranges::count(std::array{"mutex"sv, "fair_lock"sv, "multi_lock"sv, "red_lock"sv}, k.name) > 0;
}

// A contender of that kind that excludes it: two readers do not exclude each other.
acquirer rival_of(kind const& k, std::string const& name)
{
    return acquirer_of(k.name == "read"sv ? kinds[5] : k, name);
}

TEST_CASE("an acquire and a release end, or the process does as documented, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    bool const for_good = GENERATE(false, true);
    if (for_good && !is_varied(k))
        return;
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
    if (wait == 0ms && !is_varied(k))
        return;
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
    if (is_cancelled && !is_varied(k))
        return;
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
            if (is_cancelled)
                t.emit(signal, asio::cancellation_type::total);
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
    if (for_good && !is_varied(k))
        return;
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

// The thread that destroys the lease.
enum class caller { beside_the_context, in_the_context, on_another_thread };

TEST_CASE("the destructor of a lease allocates nothing", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    auto const where = GENERATE(caller::beside_the_context, caller::in_the_context, caller::on_another_thread);
    CAPTURE(k.name, int(where));
    servers const redis(k.servers);
    auto const once = [&](long, std::string const& name) {
        trial t(redis);
        auto const acquire = acquirer_of(k, name);
        auto held = t.finish([&](handler h) { acquire(t, std::nullopt, std::move(h)); });
        bool is_destroyed = false;
        auto const destroy = [&] {
            trial::fail_at(1, true);
            held = lease();
            trial::end_failing();
            is_destroyed = true;
        };
        if (where == caller::in_the_context)
            asio::post(t.context(), destroy);
        else if (where == caller::on_another_thread)
            std::thread(destroy).join();
        else
            destroy();
        t.run_until([&] { return is_destroyed; });
        t.conclude(acquire);
    };
    std::string words;
    CHECK(ending_names.at(end_of(fork_trial(once, 1), words)) == "untouched"sv);
    CHECK(words.empty());
}

TEST_CASE("the destructor of a lease that cancels the attempt at a late server allocates nothing", "[memory]")
{
    servers redis(3);
    auto const once = [&](long, std::string const& name) {
        trial t(redis);
        redis.back().freeze();
        auto held = t.finish([&](handler h) { make_red(t, name).acquire(std::move(h)); });
        bool is_destroyed = false;
        asio::post(t.context(), [&] {
            trial::fail_at(1, true);
            held = lease();
            trial::end_failing();
            is_destroyed = true;
        });
        t.run_until([&] { return is_destroyed; });
        redis.back().thaw();
        t.conclude(acquirer_of([name](trial& in) { return make_red(in, name); }));
    };
    std::string words;
    CHECK(ending_names.at(end_of(fork_trial(once, 1), words)) == "untouched"sv);
    CHECK(words.empty());
}

TEST_CASE("a cancellation allocates nothing", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    if (k.servers > 1 || k.make == make_multi)
        return;  // it cancels on a strand of its own
    CAPTURE(k.name);
    servers const redis(1);
    auto const once = [&](long, std::string const& name) {
        trial t(redis);
        auto const acquire = acquirer_of(k, name);
        auto held = t.finish([&](handler h) { rival_of(k, name)(t, std::nullopt, std::move(h)); });
        asio::cancellation_signal signal;
        outcome waiting;
        acquire(t, std::nullopt, handler(waiting, signal.slot()));
        t.run_for(5ms);
        asio::post(t.context(), [&] {
            trial::fail_at(1, true);
            signal.emit(asio::cancellation_type::total);
            trial::end_failing();
        });
        t.run_until([&] { return waiting.is_over(); });
        held = lease();
        t.conclude(acquire);
    };
    std::string words;
    CHECK(ending_names.at(end_of(fork_trial(once, 1), words)) == "untouched"sv);
    CHECK(words.empty());
}

TEST_CASE("the destructor of a client and stop() allocate nothing", "[memory]")
{
    servers const redis(1);
    bool const is_destructor = GENERATE(false, true);
    auto const once = [&](long, std::string const& name) {
        trial t(redis);
        auto const held = t.finish([&](handler h) { mutex(t.client(), name).acquire(std::move(h)); });
        trial::fail_at(1, true);
        is_destructor ? t.clients().clear() : t.client().stop();
        trial::end_failing();
        t.run_until([&] { return !held.valid(); });
        trial(redis).conclude(acquirer_of(kinds[0], name + "x"));
    };
    std::string words;
    CHECK(ending_names.at(end_of(fork_trial(once, 1), words)) == "untouched"sv);
    CHECK(words.empty());
}

TEST_CASE("a strand of a thread_pool queues a delivery without memory", "[memory]")
{
    asio::thread_pool pool(1);
    engine::strand const s(pool.get_executor());
    std::atomic<int> runs = 0;
    for (int i = 1; i <= 3; ++i) {
        trial::fail_at(1, true);
        s.execute_in_kept_memory([&] {
            ++runs;
            runs.notify_all();
        });
        trial::end_failing();
        for (int now = 0; (now = runs.load()) < i;)
            runs.wait(now);
    }
    CHECK_FALSE(has_failed);
}

TEST_CASE("a client and its context end, or the process does as documented, whichever allocation fails", "[memory]")
{
    auto const& k = kinds.at(GENERATE(each_kind()));
    bool const is_client_first = GENERATE(false, true);
    if (is_client_first && !is_varied(k))
        return;
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

// An operation that is neither an acquire nor a release. The lease is that of the lock.
struct operation {
    char const* name;
    char const* kind;  // of the lock
    void (*start)(trial&, std::string const& name, lease&, handler);
    bool is_wait = false;  // it is cancelled
    bool is_coroutine = false;
    bool has_body = false;  // it is cancelled in its body
};

kind const& kind_of(std::string_view name)
{
    return *std::ranges::find(kinds, name, [](kind const& k) { return std::string_view(k.name); });
}

asio::awaitable<void> work(lease&)
{
    co_return;
}
asio::awaitable<void> work_as_leader(leadership&)
{
    co_return;
}
bool is_in_body = false;
constexpr auto wait = [](auto&) -> asio::awaitable<void> {
    is_in_body = true;
    co_await sleep_for(1min);
};

template <class Start>
void lead(lease& held, Start start)
{
    detail::borrowed_leadership b(held);
    start(b.me);
}

constexpr auto extend = [](trial&, std::string const&, lease& l, handler h) { l.extend(long_lease, std::move(h)); };
constexpr auto lost = [](trial&, std::string const&, lease& l, handler h) { l.lost(std::move(h)); };
template <std::size_t Kind>
constexpr auto is_locked =
    [](trial& t, std::string const& n, lease&, handler h) { kinds[Kind].make(t, n).is_locked(std::move(h)); };
template <std::size_t Kind>
constexpr auto holders =
    [](trial& t, std::string const& n, lease&, handler h) { kinds[Kind].make(t, n).holders(std::move(h)); };
template <std::size_t Kind>
constexpr auto force_release =
    [](trial& t, std::string const& n, lease&, handler h) { kinds[Kind].make(t, n).force_release(std::move(h)); };
constexpr std::size_t multi = 9, red = 10;

constexpr std::array operations{
    operation{"extend", "mutex", extend},
    operation{"lost", "mutex", lost, true},
    operation{"is_locked", "mutex", is_locked<0>},
    operation{"holders", "mutex", holders<0>},
    operation{"force_release", "mutex", force_release<0>},
    operation{"extend", "multi_lock", extend},
    operation{"lost", "multi_lock", lost, true},
    operation{"is_locked", "multi_lock", is_locked<multi>},
    operation{"extend", "red_lock", extend},
    operation{"lost", "red_lock", lost, true},
    operation{"holders", "red_lock", holders<red>},
    operation{"downgrade", "write", [](trial&, std::string const&, lease& l, handler h) { l.downgrade(std::move(h)); }},
    operation{
        "permits",
        "semaphore",
        [](trial& t, std::string const& n, lease&, handler h) {
            semaphore(t.client(), n, {.permits = 1}).permits(std::move(h));
        }},
    operation{
        "set_permits",
        "semaphore",
        [](trial& t, std::string const& n, lease&, handler h) {
            semaphore(t.client(), n, {.permits = 1}).set_permits(2, std::move(h));
        }},
    operation{
        "add_permits",
        "semaphore",
        [](trial& t, std::string const& n, lease&, handler h) {
            semaphore(t.client(), n, {.permits = 1}).add_permits(1, std::move(h));
        }},
    operation{
        "revoke",
        "semaphore",
        [](trial& t, std::string const& n, lease&, handler h) {
            semaphore(t.client(), n, {.permits = 1}).revoke(std::string(t.client().id()) + ":1", std::move(h));
        }},
    operation{
        "waiters",
        "fair_lock",
        [](trial& t, std::string const& n, lease&, handler h) { fair_lock(t.client(), n).waiters(std::move(h)); }},
    operation{
        "current",
        "election",
        [](trial& t, std::string const& n, lease&, handler h) { election(t.client(), n).current(std::move(h)); }},
    operation{
        "next",
        "election",
        [](trial& t, std::string const& n, lease&, handler h) {
            static std::optional<leader_watch> watch;
            watch.emplace(election(t.client(), n).observe());
            watch->next(std::move(h));
        }},
    operation{
        "proclaim",
        "election",
        [](trial&, std::string const&, lease& l, handler h) {
            lead(l, [&](leadership& me) { me.proclaim("another value", std::move(h)); });
        }},
    operation{
        "proclaim after a loss",
        "election",
        [](trial& t, std::string const& n, lease& l, handler h) {
            t.without_failing(
                [&] { t.run([&](handler done) { election(t.client(), n).force_release(std::move(done)); }); });
            lead(l, [&](leadership& me) { me.proclaim("another value", std::move(h)); });
        }},
    operation{
        "asked_to_yield",
        "election",
        [](trial&, std::string const&, lease& l, handler h) {
            lead(l, [&](leadership& me) { me.asked_to_yield(std::move(h)); });
        },
        true},
    operation{
        "latch: set",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) { latch(t.client(), n + "l").set(2, std::move(h)); }},
    operation{
        "latch: count_down",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) { latch(t.client(), n + "l").count_down(std::move(h)); }},
    operation{
        "latch: wait",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) { latch(t.client(), n + "l").wait(std::move(h)); }},
    operation{
        "shutdown",
        "mutex",
        [](trial& t, std::string const&, lease& l, handler h) {
            auto const ignored = std::move(l);
            t.client().shutdown(std::move(h));
        }},
    operation{
        "with_lock",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) {
            with_lock(mutex(t.client(), n + "w"), work, std::move(h));
        },
        false,
        true},
    operation{
        "with_lock, without success",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) {
            with_lock(mutex(t.client(), n), {.wait = 0ms}, work, std::move(h));
        },
        false,
        true},
    operation{
        "with_lock, cancelled while it waits",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) { with_lock(mutex(t.client(), n), wait, std::move(h)); },
        true,
        true},
    operation{
        "with_lock, cancelled in its body",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) {
            with_lock(mutex(t.client(), n + "w"), wait, std::move(h));
        },
        true,
        true,
        true},
    operation{
        "lead",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) {
            holdfast::lead(election(t.client(), n + "e"), "value", {}, work_as_leader, std::move(h));
        },
        false,
        true},
    operation{
        "lead, cancelled in its body",
        "mutex",
        [](trial& t, std::string const& n, lease&, handler h) {
            holdfast::lead(election(t.client(), n + "e"), "value", {}, wait, std::move(h));
        },
        true,
        true,
        true},
};

TEST_CASE("an operation on a lock ends, or the process does as documented, whichever allocation fails", "[memory]")
{
    auto const& o = operations.at(GENERATE(Catch::Generators::range(std::size_t(0), operations.size())));
    // From the failure on, for those that Asio's coroutines take part in.
    bool const for_good = GENERATE(false, true);
    if (for_good && !o.is_coroutine && o.kind != "multi_lock"sv && o.kind != "red_lock"sv)
        return;
    CAPTURE(o.kind, o.name, for_good);
    auto const& k = kind_of(o.kind);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t(redis);
        auto const acquire = acquirer_of(k, name);
        auto held = t.finish([&](handler h) { acquire(t, std::nullopt, std::move(h)); });
        asio::cancellation_signal signal;
        outcome end;
        t.fail_at(n, for_good);
        auto const begin = [&](handler h) {
            o.start(t, name, held, std::move(h));
            if (o.has_body)
                t.run_until([&] { return is_in_body || end.is_over(); });
            else if (o.is_wait)
                t.run_for(3ms);
            if (o.is_wait)
                t.emit(signal, asio::cancellation_type::terminal);
        };
        try {
            begin(handler(end, signal.slot()));
            t.await(end);
        } catch (std::bad_alloc const&) {
            t.note_thrown();  // Asio may destroy the handler later, by a post
        }
        t.end_failing();
        if (o.name == "shutdown"sv)
            trial(redis).conclude(acquirer_of(k, name + "x"));
        held = lease();
        end.held = lease();
        t.conclude(acquire);
    };
    // Asio destroys the coroutine of with_lock() by a post, in a destructor, which throws if all allocations fail.
    std::vector allowed{reported, thrown};
    if (for_good && o.is_coroutine)
        allowed.push_back(terminated);
    // The operations of a body are those of Asio.
    if (o.has_body)
        allowed.insert(allowed.end(), {escaped, terminated});
    survey(once, allowed);
}

// Connects a client of that configuration, for each allocation that may fail.
void survey_connection(config const& c)
{
    auto const once = [&](long n, std::string const& name) {
        trial t;
        t.connect_at(n, c);
        t.end_failing();
        t.conclude(acquirer_of(kinds[0], name));
    };
    survey(once, {thrown});
}

TEST_CASE("a client connects, or the process ends as documented, whichever allocation fails", "[memory]")
{
    redis_server const r;
    std::array const urls{r.url(), r.tcp_url(), "redis://localhost:" + std::to_string(r.port())};
    auto const& url = urls.at(GENERATE(0u, 1u, 2u));
    CAPTURE(url);
    survey_connection(trial::options(url));
}

TEST_CASE("a client connects over TLS, or the process ends as documented, whichever allocation fails", "[memory]")
{
    certificates authority;
    auto const port = tls_port();
    auto lines = tls_lines(port, authority, authority.sign("server", "DNS:localhost"));
    lines.push_back("tls-auth-clients no");
    redis_server const r(lines);
    auto c = trial::options("rediss://localhost:" + std::to_string(port));
    c.tls.ca_file = authority.ca_file();
    survey_connection(c);
}

TEST_CASE(
    "a client finds a master by Sentinel, or the process ends as documented, whichever allocation fails", "[memory]")
{
    redis_server const r;
    sentinel const watch(r);
    survey_connection(trial::options(sentinel_url({watch.host()})));
}

TEST_CASE("a client of a cluster connects, or the process ends as documented, whichever allocation fails", "[memory]")
{
    server_cluster const nodes;
    survey_connection(trial::options(nodes.url()));
}

// Ends the connection whose client has that name.
void kill_connection(redis_server const& r, std::string const& name)
{
    resp_client c(r.socket_path());
    auto const all = c.command({"CLIENT", "LIST"}).text;
    auto const line = all.rfind("id=", all.find(" name=" + name + ' ')) + 3;
    c.command({"CLIENT", "KILL", "ID", all.substr(line, all.find(' ', line) - line)});
}

TEST_CASE("a client connects again, or the process ends as documented, whichever allocation fails", "[memory]")
{
    servers const redis(1);
    auto const once = [&](long n, std::string const& name) {
        trial t;
        auto c = trial::options(redis.front().url());
        c.name = name;
        t.connect(c);
        auto held = t.finish([&](handler h) { mutex(t.client(), name).acquire(std::move(h)); });
        outcome waiting;
        mutex(t.client(), name).try_acquire({.wait = 30ms}, handler(waiting));
        t.run_for(5ms);
        auto const before = t.client().stats().connections;
        t.fail_at(n);
        t.without_failing([&] { kill_connection(redis.front(), name); });
        t.run_until([&] {
            bool is_connected = false;
            t.without_failing([&] { is_connected = t.client().stats().connections > before; });
            return is_connected && waiting.is_over();
        });
        t.end_failing();
        held = lease();
        t.conclude(acquirer_of(kinds[0], name));
    };
    // GCC 12 destroys a member of an aggregate twice when a later member throws: in the constructor of a connection of
    // Boost.Redis.
    survey(once, {double_free});
}

TEST_CASE("a lease is renewed, or the process ends as documented, whichever allocation fails", "[memory]")
{
    auto k = kinds.at(GENERATE(each_kind()));
    if (k.make == make_red)
        k.make = make_brief_red;
    CAPTURE(k.name);
    servers const redis(k.servers);
    auto const once = [&](long n, std::string const& name) {
        trial t;
        for (auto const& s : redis) {
            auto c = trial::options(s.url());
            c.lease = 600ms;
            t.connect(c);
        }
        auto const acquire = acquirer_of(k, name);
        auto held = t.finish([&](handler h) { acquire(t, std::nullopt, std::move(h)); });
        auto const until = held.valid_until();
        t.fail_at(n);
        t.run_until([&] { return held.valid_until() > until + 50ms || !held.valid(); });
        t.end_failing();
        if (!held.valid())
            end_as(dead);
        held = lease();
        t.conclude(acquire);
    };
    survey(once, {});
}

}  // namespace
}  // namespace holdfast::test
