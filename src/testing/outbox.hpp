//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TESTING_OUTBOX_HPP
#define HOLDFAST_TESTING_OUTBOX_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command.hpp"
#include "testing/value.hpp"

namespace holdfast::simulated {

// What is due to be sent at the end of this turn of the loop. Keeps its memory from turn to turn.
class outbox {
public:
    enum class kind : std::uint8_t { command, subscription };

    struct item {
        outbox::kind kind;
        engine::command* to;  // none for a subscription
    };

    bool empty() const noexcept { return items_.empty(); }
    std::vector<item> const& items() const noexcept { return items_; }

    void add(item i, words text)
    {
        for (auto const word : text) {
            bytes_.append(word);
            ends_.push_back(bytes_.size());
        }
        items_.push_back(i);
        counts_.push_back(text.size());
    }

    // Subscriptions in a row are one command with one guard. False: the last item is no such subscription.
    bool join_last(std::string_view verb, std::string_view channel)
    {
        if (items_.empty() || items_.back().kind != kind::subscription || verb != first_word_of_last())
            return false;
        bytes_.append(channel);
        ends_.push_back(bytes_.size());
        ++counts_.back();
        return true;
    }

    // Calls back with each item and its words, in order.
    template <class Function>
    void for_each(Function f)
    {
        std::size_t word = 0;
        std::size_t from = 0;
        for (std::size_t i = 0; i != items_.size(); ++i) {
            views_.clear();
            for (auto const last = word + counts_[i]; word != last; from = ends_[word++])
                views_.push_back(std::string_view(bytes_).substr(from, ends_[word] - from));
            f(items_[i], words(views_));
        }
    }

    void clear() noexcept
    {
        bytes_.clear();
        ends_.clear();
        counts_.clear();
        items_.clear();
    }

private:
    std::string_view first_word_of_last() const
    {
        auto const first = ends_.size() - counts_.back();
        auto const from = first == 0 ? 0 : ends_[first - 1];
        return std::string_view(bytes_).substr(from, ends_[first] - from);
    }

    std::string bytes_;
    std::vector<std::size_t> ends_;    // of each word in bytes_
    std::vector<std::size_t> counts_;  // of the words of each item
    std::vector<item> items_;
    std::vector<std::string_view> views_;
};

}  // namespace holdfast::simulated

#endif
