//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_MAPPED_HANDLER_HPP
#define HOLDFAST_MAPPED_HANDLER_HPP

#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associator.hpp>

#include <holdfast/detail/initiate.hpp>

namespace holdfast::detail {

// A handler that receives a result in another form. It has the executor, the allocator and the cancellation slot of the
// handler that it calls.
template <class Handler, class Map>
struct mapped_handler {
    Handler handler;
    Map map;

    template <class Result>
    void operator()(described_error ec, Result r)
    {
        map(std::move(handler), std::move(ec), std::move(r));
    }
};

// `map`: void(handler, described_error, Result), which calls the handler.
template <class Result, class Signature, class Map>
handler_at<void(error_code, Result)> map_handler(handler_at<Signature> to, Map map)
{
    using handler_type = decltype(to.handler);
    return {
        mapped_handler<handler_type, Map>{std::move(to.handler), std::move(map)}, std::move(to.at), to.is_diagnosed};
}

}  // namespace holdfast::detail

template <template <class, class> class Associator, class Handler, class Map, class Default>
struct boost::asio::associator<Associator, holdfast::detail::mapped_handler<Handler, Map>, Default>
    : Associator<Handler, Default> {
    static auto get(holdfast::detail::mapped_handler<Handler, Map> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static decltype(auto) get(holdfast::detail::mapped_handler<Handler, Map> const& h, Default const& d) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, d);
    }
};

#endif
