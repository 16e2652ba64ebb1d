//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_ONE_KEY_PROTOCOL_HPP
#define HOLDFAST_ENGINE_ONE_KEY_PROTOCOL_HPP

#include <array>
#include <string_view>

#include "engine/protocol/lock_protocol.hpp"
#include "engine/protocol/lock_spec.hpp"

namespace holdfast::engine {

// What the fenced and the plain kind of a lock with one key have in common: the scripts that release and renew it.
template <script const& Release, script const& ReleaseLater, script const& ReleaseAll, script const& Renew>
class one_key_protocol : public lock_protocol {
public:
    void release(
        session& to, command& c, lock_spec const& lock, std::string_view token, script_form form) const override
    {
        submit_release(to, c, Release, lock, token, form);
    }
    bool can_stay_taken() const noexcept override { return true; }
    void release_later(
        session& to, command& c, lock_spec const& lock, std::string_view token, core::duration rest, script_form form)
        const override
    {
        milliseconds_text const ttl(rest);
        std::array<std::string_view, 1> const keys{lock.key};
        std::array<std::string_view, 3> const arguments{token, lock.channel, ttl};
        submit_script(to, c, ReleaseLater, form, keys, arguments);
    }
    script const* batch_release() const noexcept override { return &ReleaseAll; }
    script const& renewal() const noexcept override { return Renew; }

protected:
    ~one_key_protocol() = default;
};

}  // namespace holdfast::engine

#endif
