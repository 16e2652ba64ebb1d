//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_CORE_KEYED_BAG_HPP
#define HOLDFAST_CORE_KEYED_BAG_HPP

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace holdfast::core {

// Pointers by the key of what they point to, of which several may have the same, and one may be there several times. To
// add, remove and find takes the same time however many keys there are. Of one key the order is not kept.
//
// `KeyOf` gives the key of a value. It must stay valid as long as the value is in the bag.
template <class Value, class KeyOf, class Equal = std::equal_to<std::string_view>>
class keyed_bag {
public:
    void add(Value& v)
    {
        all_[KeyOf()(v)].push_back(&v);
        ++size_;
    }

    // Precondition: it is there.
    void remove(Value& v) noexcept
    {
        auto const at = all_.find(KeyOf()(v));
        assert(at != all_.end());
        auto& same = at->second;
        auto const found = std::ranges::find(same, &v);
        assert(found != same.end());
        *found = same.back();
        same.pop_back();
        --size_;
        refer_to_another(at, v);
    }

    std::span<Value* const> of(std::string_view key) const noexcept
    {
        auto const at = all_.find(key);
        return at == all_.end() ? std::span<Value* const>() : std::span<Value* const>(at->second);
    }

    std::size_t size() const noexcept { return size_; }

private:
    using values = boost::container::small_vector<Value*, 2>;
    using map = boost::unordered_flat_map<std::string_view, values, boost::hash<std::string_view>, Equal>;

    // The key in the map may be a part of the value that was removed.
    void refer_to_another(typename map::iterator at, Value const& removed) noexcept
    {
        if (!at->second.empty() && at->first.data() != KeyOf()(removed).data())
            return;
        auto rest = std::move(at->second);
        all_.erase(at);
        if (rest.empty())
            return;
        auto const key = KeyOf()(*rest.front());
        all_.emplace(key, std::move(rest));
    }

    map all_;
    std::size_t size_ = 0;
};

}  // namespace holdfast::core

#endif
