//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "oracle/shrink.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::test::oracle {
namespace {

class shrinker {
public:
    shrinker(program p, predicate const& fails, unsigned attempts)
        : best_(std::move(p)), fails_(fails), attempts_(attempts)
    {}

    program shrink()
    {
        for (bool progress = true; progress && attempts_ > 0;) {
            progress = drop_steps();
            progress = simplify_values() || progress;
        }
        return std::move(best_);
    }

private:
    bool accept(program candidate)
    {
        if (attempts_ == 0)
            return false;
        --attempts_;
        if (!fails_(candidate))
            return false;
        best_ = std::move(candidate);
        return true;
    }

    // Drops runs of steps, long ones first.
    bool drop_steps()
    {
        bool progress = false;
        for (auto length = std::max<std::size_t>(best_.steps.size() / 2, 1); length > 0; length /= 2)
            for (auto end = best_.steps.size(); end > 0; end = std::min(end, best_.steps.size())) {
                auto const from = end - std::min(end, length);
                auto candidate = best_;
                candidate.steps.erase(
                    candidate.steps.begin() + std::ptrdiff_t(from), candidate.steps.begin() + std::ptrdiff_t(end));
                progress = accept(std::move(candidate)) || progress;
                end = from;
            }
        return progress;
    }

    bool simplify_values()
    {
        bool progress = false;
        for (std::size_t i = 0; i < best_.steps.size(); ++i)
            for (std::size_t f = 0; f < field_count; ++f)
                progress = simplify(i, field(f)) || progress;
        return progress;
    }

    bool replace(std::size_t at, field f, std::int64_t v)
    {
        if (best_.steps[at].get(f, absent) == v)
            return false;
        auto candidate = best_;
        candidate.steps[at].set(f, v);
        return accept(std::move(candidate));
    }

    bool simplify(std::size_t at, field f)
    {
        auto const old = best_.steps[at].get(f, absent);
        if (old == absent || f == field::lock)
            return false;
        if (replace(at, f, absent) || (old > 0 && replace(at, f, 0)))
            return true;
        for (std::int64_t const round : {1'000'000, 100'000, 1'000, 100, 10, 1})
            if (old > round && old != endless && replace(at, f, round))
                return true;
        return old > 1 && old != endless && replace(at, f, old / 2);
    }

    program best_;
    predicate const& fails_;
    unsigned attempts_;
};

}  // namespace

program shrink(program p, predicate const& fails, unsigned attempts)
{
    return shrinker(std::move(p), fails, attempts).shrink();
}

}  // namespace holdfast::test::oracle
