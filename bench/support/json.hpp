//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_BENCH_SUPPORT_JSON_HPP
#define HOLDFAST_BENCH_SUPPORT_JSON_HPP

#include <string>
#include <string_view>

namespace holdfast::bench {

// Writes JSON, in the order of the calls.
class json_writer {
public:
    json_writer& begin_object();
    json_writer& end_object();
    json_writer& begin_array();
    json_writer& end_array();
    json_writer& key(std::string_view);
    json_writer& value(std::string_view);
    json_writer& value(double);
    json_writer& value(bool);

    template <class Value>
    json_writer& member(std::string_view name, Value const& v)
    {
        return key(name).value(v);
    }

    std::string const& text() const { return text_; }

private:
    json_writer& open(char);
    json_writer& close(char);
    void begin_element();
    void quote(std::string_view);

    std::string text_;
    std::string indent_ = "\n";
    bool first_ = true;  // in its array or object
    bool after_key_ = false;
};

}  // namespace holdfast::bench

#endif
