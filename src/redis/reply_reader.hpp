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

// Builds an engine::reply from the nodes of one RESP3 message. The text of a scalar is a view of the parser's buffer.
// The elements of an array are copied, because the parser may reallocate its buffer before the last of them has
// arrived. The memory grows with the bytes received, never with a length that the server announces: a hostile server
// could announce any length.
class reply_reader {
public:
    enum class progress {
        more,       // an array that is not complete yet
        complete,   // value() is the reply
        error,      // the reply is an error, with the text words()
        malformed,  // for example, a number that has no digits
    };

    progress take(boost::redis::resp3::node_view const&);

    // Valid until the next take(), and only as long as the node with which the reply was complete.
    engine::reply const& value() const noexcept { return value_; }
    std::string_view words() const noexcept { return value_.text; }

private:
    progress take_head(boost::redis::resp3::node_view const&);
    progress take_element(boost::redis::resp3::node_view const&);
    progress complete_array();
    void set_texts();
    void arrange();

    // Where an item is in a nested array.
    struct shape {
        std::size_t depth;
        std::size_t elements;  // of an inner list
    };

    engine::reply value_;
    std::vector<engine::reply> items_;  // of all depths
    std::vector<shape> shapes_;         // of each item
    std::string texts_;                 // the texts of all items, concatenated
    std::size_t expected_ = 0;          // how many items the array itself has
    std::size_t missing_ = 0;           // how many items of all depths have not arrived yet
    bool is_nested_ = false;
};

}  // namespace holdfast::redis

#endif
