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

// A multimap of pointers, indexed by the key of the value that each points to. Several values may have the same key,
// and a value may be added several times. The cost of add(), remove() and of() does not depend on the number of keys:
// an owner may hold thousands of locks, and every acquire searches its tenures. The values of one key have no order.
//
// `KeyOf` returns the key of a value as a view. The view must stay valid as long as the value is in the bag.
template <class Value, class KeyOf, class Equal = std::equal_to<std::string_view>>
class keyed_bag {
public:
    void add(Value& v)
    {
        all_[KeyOf()(v)].push_back(&v);
        ++size_;
    }

    // Removes one of the entries of that value. Precondition: there is one.
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

    // The values of that key. The span is valid until the bag changes.
    std::span<Value* const> of(std::string_view key) const noexcept
    {
        auto const at = all_.find(key);
        return at == all_.end() ? std::span<Value* const>() : std::span<Value* const>(at->second);
    }

    std::size_t size() const noexcept { return size_; }

private:
    using values = boost::container::small_vector<Value*, 2>;
    using map = boost::unordered_flat_map<std::string_view, values, boost::hash<std::string_view>, Equal>;

    // The map stores a view of the key, which may point into the value that was removed and will now be destroyed. The
    // entry is then inserted again with a view into a value that remains.
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
