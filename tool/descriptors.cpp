//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/descriptors.hpp"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace holdfast::cli {

std::vector<int> open_descriptors()
{
    auto const close = [](DIR* d) { ::closedir(d); };
    std::unique_ptr<DIR, decltype(close)> const folder(::opendir("/dev/fd"), close);
    std::vector<int> found;
    while (auto const* entry = folder ? ::readdir(folder.get()) : nullptr) {
        std::string_view const name = entry->d_name;
        int fd = -1;
        // "." and ".." are no numbers. The descriptor of the folder itself is closed below.
        if (std::from_chars(name.data(), name.data() + name.size(), fd).ec == std::errc()
            && fd != ::dirfd(folder.get()))
            found.push_back(fd);
    }
    return found;
}

void close_on_exec_except(std::vector<int> const& inherited)
{
    for (int const fd : open_descriptors())
        if (std::ranges::find(inherited, fd) == inherited.end())
            ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// open() returns the lowest descriptor that is free. The wrong direction makes each use an error.
void occupy_standard_descriptors()
{
    for (int const fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0)
            ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace holdfast::cli
