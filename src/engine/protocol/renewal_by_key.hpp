//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_ENGINE_RENEWAL_BY_KEY_HPP
#define HOLDFAST_ENGINE_RENEWAL_BY_KEY_HPP

#include <cstddef>
#include <string_view>

#include <boost/container/static_vector.hpp>

#include "engine/port/script.hpp"

namespace holdfast::engine {

class lock_spec;

// One of the scripts that renew a grant by one key each. It replies as lock_protocol::renewal() does, and never 2.
// ARGV: the holder, of a semaphore also the weight, and the lease time in ms.
struct one_key_renewal {
    script const* with;
    std::string_view key;
    std::size_t times;  // how often the script has the key among its KEYS
    std::string_view holder;
};

// How a grant is renewed whose keys are at two servers of a cluster, because its hash slot is being moved key by key:
// both servers refuse a script that needs several of them. The grant is renewed when each of these scripts has replied
// 1, in this order. Empty: the renewal of that kind of lock needs one key only.
//
// | grant      | keys of the renewal       | by key                   | what is left out                                   |
// |------------|---------------------------|--------------------------|----------------------------------------------------|
// | read       | lock, slot of the reader, | the slot, then the lock  | whether a writer waits: no reader may join         |
// |            | mark of a waiting writer  |                          |                                                    |
// | permit     | counter, timeouts         | the timeouts, which have | the counter lives for a day more; if it expires,   |
// |            | [, numbers]               | the holders              | the next grant makes it anew from the timeouts     |
// | leadership | lock, record              | the lock                 | the record lives for a day more                    |
//
// Nothing is granted that would be refused otherwise: a renewal creates no key, and the scripts that acquire these
// locks need all keys at one server. A slot of a reader without its field in the lock counts for nothing, and neither
// does a field without its slot, so a renewal that fails between its two scripts keeps nobody out.
using one_key_renewals = boost::container::static_vector<one_key_renewal, 2>;
one_key_renewals renewals_by_key(lock_spec const&, std::string_view own_key, std::string_view token);

}  // namespace holdfast::engine

#endif
