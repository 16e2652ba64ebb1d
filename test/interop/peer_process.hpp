//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_INTEROP_PEER_PROCESS_HPP
#define HOLDFAST_TEST_INTEROP_PEER_PROCESS_HPP

#include <chrono>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

// A lock in both libraries: its kind in the words of the line protocol, and its name.
struct lock_id {
    std::string kind;  // reentrant fair read write fenced; spin: Redisson only
    std::string name;
};

// The options of an acquire.
struct terms {
    static constexpr std::chrono::milliseconds watchdog{-1};
    static constexpr std::chrono::milliseconds for_ever{-1};

    std::chrono::milliseconds lease = watchdog;
    std::chrono::milliseconds wait = for_ever;  // 0: one attempt
};

// A process that acquires and releases locks on request, over pipes, with the protocol that RedissonPeer.java describes
// at its top: that program, or holdfast_peer. Many requests may be under way at once. It is killed at the end.
class peer_process {
public:
    struct answer {
        std::chrono::steady_clock::time_point at;
        std::string text;
    };

    // A request; valid as long as the peer_process.
    class request {
    public:
        // Does not wait.
        bool is_over() const { return of_->find(id_) != nullptr; }

        // Waits for the answer; throws if none comes in time.
        answer const& get() const { return of_->wait_for(id_); }
        std::string const& text() const { return get().text; }

    private:
        friend class peer_process;
        request(peer_process& of, int id) : of_(&of), id_(id) {}

        peer_process* of_;
        int id_;
    };

    peer_process(std::string name, std::vector<std::string> const& words);
    ~peer_process();
    peer_process(peer_process const&) = delete;
    peer_process& operator=(peer_process const&) = delete;

    std::string const& name() const noexcept { return name_; }
    std::string const& client_id() const noexcept { return client_id_; }

    request acquire(lock_id const&, int thread, terms = {});
    request release(lock_id const&, int thread);
    request call(std::string const& verb, lock_id const&, int thread = 0);

    void signal(int number);  // such as SIGSTOP
    void kill();              // and waits for its end

private:
    request begin(std::string const& words);
    answer const* find(int id);
    answer const& wait_for(int id);
    void read_what_came();
    void take(std::string const& line);

    std::string name_;
    std::string client_id_;
    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    int last_id_ = 0;
    std::string unfinished_;
    bool has_ended_ = false;
    std::map<int, answer> answers_;
};

}  // namespace holdfast::test

#endif
