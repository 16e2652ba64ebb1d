//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_REDIS_REPLY_READER_HPP
#define HOLDFAST_REDIS_REPLY_READER_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/redis/resp3/node.hpp>

#include "engine/port/reply.hpp"

namespace holdfast::redis {

// Makes an engine::reply of the nodes of one RESP3 message. A scalar stays where the parser has it; the elements of
// an array are copied, because the parser may move its buffer before the last of them has come. What is kept grows
// with the bytes received, never with a length that was announced.
class reply_reader {
public:
    enum class progress {
        more,       // an array, not yet whole
        complete,   // value() is the reply
        error,      // the server answered with an error: words()
        malformed,  // such as no number where one was announced
    };

    progress take(boost::redis::resp3::node_view const&);

    // Valid until the next take(), and only as long as the node that completed it.
    engine::reply const& value() const noexcept { return value_; }
    std::string_view words() const noexcept { return value_.text; }

private:
    progress take_head(boost::redis::resp3::node_view const&);
    progress take_element(boost::redis::resp3::node_view const&);
    progress complete_array();

    engine::reply value_;
    std::vector<engine::reply> items_;
    std::string texts_;         // those of the items, one after the other
    std::size_t expected_ = 0;  // items
    std::size_t skipped_ = 0;   // elements that are still to come of those in an item, which nobody reads
};

}  // namespace holdfast::redis

#endif
