//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_SCRIPT_CACHE_HPP
#define HOLDFAST_ENGINE_SCRIPT_CACHE_HPP

#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "engine/port/script.hpp"

namespace holdfast::engine {

// A position in the order of the commands of one session: how many texts of scripts were submitted before.
using script_position = std::uint32_t;

// How a script is sent: by its SHA1, or, after the reply NOSCRIPT, in the form that the script cache chooses. To send it
// again is a new decision (rule 7).
class script_form {
public:
    static script_form const sha1;

    // `asked`: the position after the EVALSHA that got NOSCRIPT.
    static constexpr script_form after_no_script(script_position asked) noexcept { return {asked, true}; }
    // For a command that must not get NOSCRIPT: by its SHA1 only if the session has submitted the text in this epoch.
    static constexpr script_form if_sent() noexcept { return after_no_script(0); }

    constexpr bool may_be_text() const noexcept { return may_be_text_; }
    constexpr script_position asked() const noexcept { return asked_; }

private:
    constexpr script_form(script_position asked, bool may_be_text) noexcept : asked_(asked), may_be_text_(may_be_text)
    {}

    script_position asked_;
    bool may_be_text_;
};

inline constexpr script_form script_form::sha1{0, false};

// Which texts one session has submitted to its server in this epoch. After a restart, a failover or SCRIPT FLUSH the
// server has no script, and all calls of a script get NOSCRIPT: eight thousand of them, each followed by a text of ten
// thousand characters, would occupy the server and the network for seconds. So only the first call sends the text.
//
// The server executes the commands of a connection in their order: an EVALSHA that is submitted after the text finds the
// script. So the other calls are sent again as EVALSHA at once. They wait for nothing, and need not learn what becomes
// of the call that sent the text: its EVAL is executed even if its caller leaves or is answered too late, and if the
// connection is lost, so are they. If the server refuses the EVAL before it reads the text, the first EVALSHA behind it
// gets NOSCRIPT, too, and sends the text.
//
// | state of the script | the EVALSHA that got NOSCRIPT was submitted | form   | next state |
// |---------------------|---------------------------------------------|--------|------------|
// | unknown             | at any time                                 | text   | submitted  |
// | submitted           | before the last text                        | SHA1   | submitted  |
// | submitted           | after it: the server has lost the script    | text   | submitted  |
// | any                 | a new epoch, perhaps of another server      |        | unknown    |
class script_cache {
public:
    enum class state : std::uint8_t { unknown, submitted };

    state state_of(script const& s) const noexcept
    {
        return submitted_.contains(&s) ? state::submitted : state::unknown;
    }
    script_position position() const noexcept { return texts_; }

    // Whether a call of that form is sent as EVAL with the text, which must be submitted then.
    bool needs_text(script const&, script_form) const noexcept;
    void on_text(script const& s) { submitted_[&s] = ++texts_; }
    // Positions of different epochs stay different.
    void on_open() noexcept { submitted_.clear(); }

private:
    bool is_behind(script_position, script const&) const noexcept;

    boost::unordered_flat_map<script const*, script_position> submitted_;  // the position after the last text
    script_position texts_ = 0;
};

}  // namespace holdfast::engine

#endif
