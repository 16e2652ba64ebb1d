//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_DETAIL_ABI_HPP
#define HOLDFAST_DETAIL_ABI_HPP

#if !defined(__cpp_exceptions)
#error "Holdfast needs exceptions: compile without -fno-exceptions"
#endif

#include <boost/asio/detail/config.hpp>
#include <boost/asio/detail/thread_info_base.hpp>
#include <boost/version.hpp>

// The program and the library exchange objects of Boost.Asio and of the standard library, whose layouts depend on the
// version of Boost and on some macros. With different values for both, the program would crash or hang. So each
// translation unit that includes <holdfast/client.hpp>, alone or through another header, refers to a function whose name
// contains its values, and the library defines that function for its own values only: no program does without a client.
// With other values the linker reports an undefined reference, which reads
//
//     holdfast::abi::library_was_built_with<holdfast::abi::values<holdfast::abi::boost<1u, 92u>, ...> >()
namespace holdfast::abi {

template <unsigned major, unsigned minor>
struct [[gnu::visibility("default")]] boost;
template <bool>
struct [[gnu::visibility("default")]] handler_tracking;  // BOOST_ASIO_ENABLE_HANDLER_TRACKING
template <bool>
struct [[gnu::visibility("default")]] glibcxx_debug;  // _GLIBCXX_DEBUG
template <bool>
struct [[gnu::visibility("default")]] asio_threads;  // BOOST_ASIO_DISABLE_THREADS
template <bool>
struct [[gnu::visibility("default")]] asio_epoll;  // BOOST_ASIO_DISABLE_EPOLL
template <bool>
struct [[gnu::visibility("default")]] asio_io_uring;  // BOOST_ASIO_HAS_IO_URING
template <bool>
struct [[gnu::visibility("default")]] asio_eventfd;  // BOOST_ASIO_DISABLE_EVENTFD
template <bool>
struct [[gnu::visibility("default")]] asio_timerfd;  // BOOST_ASIO_DISABLE_TIMERFD
template <bool>
struct [[gnu::visibility("default")]] asio_ts_executors;  // BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT
template <bool>
struct [[gnu::visibility("default")]] asio_typeid;  // BOOST_ASIO_NO_TYPEID, as with -fno-rtti
template <unsigned>
struct [[gnu::visibility("default")]] asio_cache;  // BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE

template <class...>
struct [[gnu::visibility("default")]] values;

template <class Values>
[[gnu::visibility("default")]] void library_was_built_with() noexcept;

using own_boost = boost<BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000>;

#if defined(BOOST_ASIO_ENABLE_HANDLER_TRACKING)
using own_handler_tracking = handler_tracking<true>;
#else
using own_handler_tracking = handler_tracking<false>;
#endif
#if defined(_GLIBCXX_DEBUG)
using own_glibcxx_debug = glibcxx_debug<true>;
#else
using own_glibcxx_debug = glibcxx_debug<false>;
#endif
#if defined(BOOST_ASIO_HAS_THREADS)
using own_threads = asio_threads<true>;
#else
using own_threads = asio_threads<false>;
#endif
#if defined(BOOST_ASIO_HAS_EPOLL)
using own_epoll = asio_epoll<true>;
#else
using own_epoll = asio_epoll<false>;
#endif
#if defined(BOOST_ASIO_HAS_IO_URING)
using own_io_uring = asio_io_uring<true>;
#else
using own_io_uring = asio_io_uring<false>;
#endif
#if defined(BOOST_ASIO_HAS_EVENTFD)
using own_eventfd = asio_eventfd<true>;
#else
using own_eventfd = asio_eventfd<false>;
#endif
#if defined(BOOST_ASIO_HAS_TIMERFD)
using own_timerfd = asio_timerfd<true>;
#else
using own_timerfd = asio_timerfd<false>;
#endif
#if defined(BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT)
using own_ts_executors = asio_ts_executors<true>;
#else
using own_ts_executors = asio_ts_executors<false>;
#endif
#if defined(BOOST_ASIO_NO_TYPEID)
using own_typeid = asio_typeid<false>;
#else
using own_typeid = asio_typeid<true>;
#endif
using own_cache = asio_cache<BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE>;

using own_values = values<
    own_boost,
    own_handler_tracking,
    own_glibcxx_debug,
    own_threads,
    own_epoll,
    own_io_uring,
    own_eventfd,
    own_timerfd,
    own_ts_executors,
    own_typeid,
    own_cache>;

namespace {

// One pointer in each translation unit, which the compiler keeps although nothing reads it.
[[gnu::used]] constexpr void (*agreement)() noexcept = &library_was_built_with<own_values>;

}  // namespace

}  // namespace holdfast::abi

#endif
