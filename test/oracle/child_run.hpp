//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_ORACLE_CHILD_RUN_HPP
#define HOLDFAST_TEST_ORACLE_CHILD_RUN_HPP

#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/types.h>

#include "oracle/model.hpp"

namespace holdfast::test::oracle {

// A value that this process shares with the processes that it forks: it outlives a child that crashes.
template <class Value>
class shared_value {
public:
    shared_value() : at_(::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
        if (at_ == MAP_FAILED)
            throw std::runtime_error("mmap");
        new (at_) Value;
    }
    ~shared_value() { ::munmap(at_, sizeof(Value)); }
    shared_value(shared_value const&) = delete;
    shared_value& operator=(shared_value const&) = delete;

    Value& operator*() const noexcept { return *static_cast<Value*>(at_); }
    Value* operator->() const noexcept { return &**this; }

private:
    void* at_;
};

enum class standard_error { kept, dropped };

// Runs f in a fork of this process, which must have one thread. Alarms and crashes end the child only.
pid_t run_in_child(std::function<void()> const& f, standard_error);

// Waits for the child's end. A crash, or the alarm after `time_limit` seconds, is a finding.
std::optional<finding> wait_for_child(pid_t, unsigned time_limit);

}  // namespace holdfast::test::oracle

#endif
