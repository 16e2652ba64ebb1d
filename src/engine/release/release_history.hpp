//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RELEASE_HISTORY_HPP
#define HOLDFAST_ENGINE_RELEASE_HISTORY_HPP

#include <chrono>
#include <cstddef>
#include <vector>

#include <boost/circular_buffer.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "core/clock.hpp"
#include "core/cluster_map.hpp"
#include "engine/hold/grant.hpp"
#include "engine/port/server_identity.hpp"

namespace holdfast::engine {

// The last releases that one server has executed. Redis replicates later than it replies, so another server that has
// taken its place may still have what they deleted: a grant, which lasts for a lease time, or a place in a queue, which
// stops all behind it for `waiter_timeout`. There they are executed again. That is harmless where nothing was lost: a
// release names its token, which was retired (rule 6), so it deletes nothing that was acquired later.
//
// | a release        | event                           | next      |                                                   |
// |------------------|---------------------------------|-----------|---------------------------------------------------|
// |                  | add()                           | executed  | the oldest one is forgotten if there are too many |
// | executed         | a later one by more than `span` | forgotten |                                                   |
// | executed         | on_open(): the same server      | executed  |                                                   |
// | executed         | on_open() at another server     | due       | also if it is not known which server it is        |
// | executed         | on_left(): its slot has left it | due       |                                                   |
// | executed         | the same two, and it has        | forgotten | no server has anything of it (grant::expiry())    |
// |                  | expired                         |           |                                                   |
// | due              | next()                          | forgotten | the caller sends it; at most `most_under_way`     |
//
// `span` counts back from the last release, not from the end of the connection: the client may notice late that its
// server is gone. On the strand.
class release_history {
public:
    using grant_ptr = boost::intrusive_ptr<grant>;

    static constexpr std::size_t most = 1024;
    static constexpr std::size_t most_under_way = 64;  // the new server has other commands to execute, too
    static constexpr core::duration span = std::chrono::seconds(5);

    // The server has executed a release of that grant, which was sent then.
    void add(grant_ptr, core::instant sent);
    // An epoch has opened at that server.
    void on_open(server_identity const&, core::instant now);
    // These slots have left the server: they have another primary.
    void on_left(core::slot_set const&, core::instant now);

    // Returns one that is due, the last ones first, because these are most likely to be lost. on_repeated() must
    // follow. Null: none is due, or enough of them are under way.
    grant_ptr next();
    void on_repeated() noexcept { --under_way_; }
    // Whether there is nothing to repeat, now or later, and no caller of next() is left.
    bool is_empty() const noexcept { return executed_.empty() && due_.empty() && under_way_ == 0; }

private:
    struct entry {
        grant_ptr released;
        core::instant sent;
    };

    template <class Predicate>
    void repeat_if(Predicate, core::instant now);

    server_identity server_;  // of the last epoch
    boost::circular_buffer<entry> executed_{most};
    std::vector<grant_ptr> due_;
    std::size_t under_way_ = 0;
};

}  // namespace holdfast::engine

#endif
