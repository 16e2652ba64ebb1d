//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_PARTY_HPP
#define HOLDFAST_PARTY_HPP

#include <cstddef>
#include <memory>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <holdfast/lease.hpp>

#include "client_state.hpp"
#include "core/recycled.hpp"
#include "engine/contender.hpp"
#include "engine/request.hpp"

namespace holdfast::detail {

// Attempts on several locks, of which each is told how it ended.
class attempts : public boost::intrusive_ref_counter<attempts, boost::thread_safe_counter> {
public:
    virtual ~attempts() = default;

    // Any thread, perhaps from inside the engine.
    virtual void end(std::size_t place, error_code, lease got) = 0;
    // Any thread, once they were all launched: those that are under way end with operation_aborted.
    virtual void call_off() noexcept = 0;
};

class single_try;

// Those on locks of one client: they travel to its strand, and are cancelled, together.
class party final : public core::recycled<party>, public engine::request {
public:
    // `all_or_none`: they are tried as one; when one is not to be had, the others are called off.
    party(std::shared_ptr<client_state> const& home, bool all_or_none);
    ~party();

    bool is_of(std::shared_ptr<client_state> const& client) const noexcept
    {
        return !home_.owner_before(client) && !client.owner_before(home_);
    }
    void add(boost::intrusive_ptr<attempts> of, std::size_t place, engine::contender::wish);

    // Any thread. When the client is gone, the attempts end with errc::client_stopped.
    void start() noexcept;
    void ask_to_cancel() noexcept;

private:
    struct cancellation final : engine::letter {
        explicit cancellation(party& p) noexcept : of(p) {}
        void deliver(engine::context& c) override
        {
            boost::intrusive_ptr<party> const keep(&of, false);
            of.give_up(c);
        }
        void discard() noexcept override { intrusive_ptr_release(static_cast<engine::request*>(&of)); }

        party& of;
    };

    bool post(engine::letter&) noexcept;
    void fail_all(error_code);
    void deliver(engine::context&) override;
    void discard() noexcept override;
    void join_together(engine::context&);
    void give_up(engine::context&);

    std::weak_ptr<client_state> home_;
    bool all_or_none_;
    boost::container::small_vector<boost::intrusive_ptr<single_try>, 8> tries_;
    cancellation cancellation_{*this};
};

}  // namespace holdfast::detail

#endif
