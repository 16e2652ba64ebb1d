//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_JOINT_RELEASE_HPP
#define HOLDFAST_ENGINE_JOINT_RELEASE_HPP

#include <string_view>

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>

#include "core/recycled.hpp"
#include "engine/command.hpp"
#include "engine/lock_spec.hpp"
#include "engine/session.hpp"

namespace holdfast::engine {

class releaser;

// The releases of one turn, sent as one script: the server spends about half on each of what it does on a script of its
// own. Gathers until it is sent; each command that it carries is told what it would have been told alone.
class joint_release final : public core::recycled<joint_release>,
                            public boost::intrusive::list_base_hook<>,
                            private command {
public:
    explicit joint_release(releaser& r) noexcept : home_(r) {}

    // Preconditions: it is not full, and the form knows such a script, which is that of the others.
    void add(command& told, lock_spec const&, std::string_view token);
    bool is_full() const noexcept;
    bool concerns(lock_spec const&) const noexcept;

    // Ends the gathering. Precondition: the session is open. True: one of several, this lives until it is answered;
    // else the command has gone alone.
    bool send(session&);
    // Nothing was sent, for the connection is lost.
    void call_off();

private:
    struct part {
        command* told;
        lock_spec const* lock;
        std::string_view token;
    };

    void submit(session&, script_form);
    void on_answer(answer const&) override;
    void tell_each(answer const&);
    void tell_all(answer const&);

    releaser& home_;
    boost::container::small_vector<part, 8> parts_;
};

}  // namespace holdfast::engine

#endif
