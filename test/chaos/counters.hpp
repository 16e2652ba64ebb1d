//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_CHAOS_COUNTERS_HPP
#define HOLDFAST_TEST_CHAOS_COUNTERS_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace holdfast::test {

inline constexpr std::size_t lock_count = 3;
inline constexpr std::array<char const*, lock_count> lock_names{"plain", "fenced", "reentrant"};

// A number in memory shared by all processes, incremented by a read, a pause and a write. Only a lock keeps the
// increments separately. A write fails if the number is not the one that was read, so two holders at once are noticed.
//
// No lock with leases can prevent a late write: the process may be paused between its last check of the lease and the
// write. A late write may spoil the update of one rightful holder, so:
//
//     lost   writes that failed although the lease was valid before and after
//     late   writes that succeeded although the lease had ended meanwhile
//
// and lost <= late, unless the lock failed. With fencing tokens the number refuses a token that is smaller than that of
// the last reader: then lost == 0.
class shared_counter {
public:
    struct reading {
        std::uint64_t word;
        bool refused;  // a holder with a greater token has read it
    };

    reading read(std::uint64_t fence) noexcept
    {
        auto word = word_.load();
        do {
            if (is_behind(fence, word))
                return {word, true};
        } while (!word_.compare_exchange_weak(word, pack(count_of(word), fence)));
        return {pack(count_of(word), fence), false};
    }

    // `is_valid` returns whether the writer's lease is valid at the moment of the call.
    template <class IsValid>
    void write(reading r, std::uint64_t fence, IsValid is_valid) noexcept
    {
        if (!is_valid())
            return;
        bool const done = !r.refused && word_.compare_exchange_strong(r.word, pack(count_of(r.word) + 1, fence));
        bool const is_rightful = is_valid();
        if (done)
            ++written_;
        if (done && !is_rightful)
            ++late_;
        if (!done && is_rightful)
            ++lost_;
    }

    std::uint64_t count() const noexcept { return count_of(word_); }
    std::uint64_t written() const noexcept { return written_; }
    std::uint64_t lost() const noexcept { return lost_; }
    std::uint64_t late() const noexcept { return late_; }

private:
    // The count and the lower half of the token in one word, so that they change together. Tokens are microseconds:
    // those of one test differ by far less than half of that range.
    static std::uint64_t pack(std::uint64_t count, std::uint64_t fence) noexcept
    {
        return count << 32 | (fence & 0xffff'ffff);
    }
    static std::uint64_t count_of(std::uint64_t word) noexcept { return word >> 32; }
    static bool is_behind(std::uint64_t fence, std::uint64_t word) noexcept
    {
        auto const last = static_cast<std::uint32_t>(word);
        return fence != 0 && last != 0 && static_cast<std::int32_t>(static_cast<std::uint32_t>(fence) - last) < 0;
    }

    // Lock-free, so they work between processes.
    std::atomic<std::uint64_t> word_;
    std::atomic<std::uint64_t> written_;
    std::atomic<std::uint64_t> lost_;
    std::atomic<std::uint64_t> late_;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// One counter for each lock, in a file; zero when the file is new.
class shared_counters {
public:
    explicit shared_counters(std::string const& file)
    {
        int const fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        void* at = MAP_FAILED;
        if (fd >= 0 && ::ftruncate(fd, sizeof(counters)) == 0)
            at = ::mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0)
            ::close(fd);
        if (at == MAP_FAILED)
            throw std::runtime_error("shared_counters: cannot map " + file);
        all_ = static_cast<counters*>(at);
    }
    ~shared_counters() { ::munmap(all_, sizeof(counters)); }
    shared_counters(shared_counters const&) = delete;
    shared_counters& operator=(shared_counters const&) = delete;

    shared_counter& operator[](std::size_t i) { return (*all_)[i]; }

private:
    using counters = std::array<shared_counter, lock_count>;
    counters* all_;
};

}  // namespace holdfast::test

#endif
