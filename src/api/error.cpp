//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <string>

#include <holdfast/error.hpp>

namespace holdfast {
namespace {

// One sentence for each code. It has no default, so that the compiler warns when a code is added without a sentence.
char const* message_of(errc e) noexcept
{
    switch (e) {
        case errc::unavailable: return "the server did not reply in time, or cannot execute the command now";
        case errc::lease_lost: return "the lease was lost";
        case errc::released: return "the lease was released";
        case errc::client_stopped: return "the client was stopped";
        case errc::wrong_type: return "a key of the lock is of another type, or has no time to live";
        case errc::not_permitted: return "the credentials are wrong, or the server's access rules deny it";
        case errc::server_refused: return "the server refuses to write";
        case errc::protocol: return "the client does not understand the server's reply";
        case errc::no_quorum: return "fewer than a majority of the servers replied in time and may be counted";
        case errc::would_deadlock: return "the owner holds the lock for reading, so its write would wait for itself";
        case errc::invalid_name:
            return "the name must have 1 to 512 bytes with the prefix, and keep the keys in one hash slot";
        case errc::busy: return "the lock was not acquired in time";
        case errc::empty_lease: return "the lease is empty";
        case errc::invalid_option: return "an option is invalid";
        case errc::owner_in_use: return "an earlier acquire of the same owner for this lock has not ended";
        case errc::not_running: return "client::run() has not been called";
        case errc::already_running: return "client::run() has already been called";
        case errc::latch_removed: return "the latch was removed before it opened";
    }
    return "unknown holdfast error";  // an error_code can be made of any integer
}

// What a caller can do about it. After lease_lost another contender may have changed what the lock guards, so the work
// must not be repeated blindly: this is not retry_later. A server that refuses to write (OOM, MISCONF) is expected to
// recover, one that denies a command is not, until an operator changes its access rules.
cond condition_of(errc e) noexcept
{
    switch (e) {
        case errc::lease_lost: return cond::ownership_lost;
        case errc::busy:
        case errc::unavailable:
        case errc::no_quorum:
        case errc::server_refused: return cond::retry_later;
        case errc::wrong_type:
        case errc::not_permitted:
        case errc::protocol: return cond::misconfigured;
        case errc::client_stopped: return cond::stopped;
        default: return cond::misuse;
    }
}

class error_category final : public boost::system::error_category {
public:
    char const* name() const noexcept override { return "holdfast"; }
    std::string message(int value) const override { return message_of(static_cast<errc>(value)); }
    boost::system::error_condition default_error_condition(int value) const noexcept override
    {
        // A task has removed the latch on purpose, as another one cancels an operation: that calls for no reaction.
        if (value == static_cast<int>(errc::latch_removed))
            return {value, *this};
        return make_error_condition(condition_of(static_cast<errc>(value)));
    }
};

// Conditions have a category of their own, so that a condition never equals an error that has the same value by chance.
class condition_category final : public boost::system::error_category {
public:
    char const* name() const noexcept override { return "holdfast.cond"; }
    std::string message(int value) const override
    {
        switch (static_cast<cond>(value)) {
            case cond::ownership_lost: return "ownership of the lock was lost";
            case cond::retry_later: return "the same call may succeed later";
            case cond::misconfigured: return "an operator has to correct the server, its data or its access rules";
            case cond::misuse: return "the program has to be corrected";
            case cond::stopped: return "the client was stopped";
        }
        return "unknown holdfast condition";
    }
};

// constexpr: initialized before any dynamic initialization, so a static object of a user may make and compare errors.
// An error_code keeps the address of its category.
constexpr error_category errors;
constexpr condition_category conditions;

}  // namespace

error_code make_error_code(errc e) noexcept
{
    return {static_cast<int>(e), errors};
}

boost::system::error_condition make_error_condition(cond c) noexcept
{
    return {static_cast<int>(c), conditions};
}

}  // namespace holdfast
