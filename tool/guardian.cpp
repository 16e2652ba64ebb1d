//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/guardian.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/descendants.hpp"
#include "tool/exit_status.hpp"

// Only functions that are async-signal-safe are permitted here: another thread of the tool (Asio's resolver has one) may
// have held the lock of the allocator at the fork.
namespace holdfast::cli {
namespace {

constexpr int longest_pause = 50;
constexpr auto name_in_ps = "job-guardian";

ssize_t read_all(int fd, void* to, std::size_t size) noexcept
{
    ssize_t read = 0;
    do
        read = ::read(fd, to, size);
    while (read < 0 && errno == EINTR);
    return read;
}

// `channel` leads to the guardian: it says when to begin, and is told why exec failed.
[[noreturn]] void become(guarded_command const& command, pid_t guardian, int channel) noexcept
{
    if (command.leads_group)
        ::setpgid(0, 0);
    if (command.dies_with_tool) {
        // A guardian that is killed can end nothing; this ends at least the command.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have died before prctl(): then no signal will come.
        if (::getppid() != guardian)
            ::_exit(by_signal + SIGKILL);
    }
    // The command must not see its parent with the name or the descriptors of the tool.
    char begin = 0;
    if (read_all(channel, &begin, sizeof begin) != sizeof begin)
        ::_exit(by_signal + SIGKILL);
    // The tool has blocked signals for its signalfd. The mask survives exec, and the command must receive signals.
    ::sigprocmask(SIG_SETMASK, &command.mask, nullptr);
    ::execvpe(command.arguments[0], command.arguments, command.environment);
    // exec returns only if it failed. _exit(), because exit() would run the destructors of the tool in this process.
    int const why = errno;
    [[maybe_unused]] auto const written = ::send(channel, &why, sizeof why, MSG_NOSIGNAL);
    ::_exit(not_found);
}

// Waits until the new process has become the command or has failed. Returns the errno of exec, or 0: a successful exec
// closes the channel, so there is nothing to read.
int start_command(int channel) noexcept
{
    char const begin = 1;
    int why = 0;
    if (::send(channel, &begin, sizeof begin, MSG_NOSIGNAL) != sizeof begin)
        return errno;
    return read_all(channel, &why, sizeof why) == sizeof why ? why : 0;
}

void close_range(unsigned first, unsigned last) noexcept
{
    if (first > last || ::syscall(SYS_close_range, first, last, 0) == 0)
        return;
    // Linux before 5.9.
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    for (auto fd = first; fd <= last && fd < limit.rlim_cur; ++fd)
        ::close(static_cast<int>(fd));
}

// Otherwise the guardian would keep the output of the job open, and the tool's end of the socket.
void close_all_except(std::array<int, 3> kept) noexcept
{
    std::ranges::sort(kept);
    unsigned next = 0;
    for (int const fd : kept) {
        auto const number = static_cast<unsigned>(fd);
        if (number > next)
            close_range(next, number - 1);
        next = number + 1;
    }
    close_range(next, ~0U);
}

std::size_t size_of_arguments() noexcept
{
    int const fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    std::size_t size = 0;
    char buffer[512];
    for (auto n = ::read(fd, buffer, sizeof buffer); n > 0; n = ::read(fd, buffer, sizeof buffer))
        size += static_cast<std::size_t>(n);
    ::close(fd);
    return size;
}

// Who kills processes by the name of the tool, or by its arguments, must not kill the guardian with it. The kernel reads
// the arguments from the memory of the process, in which they follow one another.
void change_name() noexcept
{
    ::prctl(PR_SET_NAME, name_in_ps, 0, 0, 0);
    auto const size = size_of_arguments();
    if (size <= std::strlen(name_in_ps))
        return;
    std::memset(program_invocation_name, 0, size);
    std::memcpy(program_invocation_name, name_in_ps, std::strlen(name_in_ps));
}

int block_all_signals() noexcept
{
    sigset_t all, child;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Milliseconds. Time for which the machine was suspended counts.
std::int64_t now() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}

// What the guardian does at a time unless it is told otherwise before.
struct alarm {
    enum { none, terminate, kill } what = none;
    std::int64_t at = 0;
};

class guardian {
public:
    guardian(guarded_command const& command, int channel) noexcept
        : command_(command), channel_(channel), signals_(block_all_signals())
    {
        adopt_descendants();
    }

    // Returns the errno of exec, or 0.
    int start() noexcept
    {
        // O_CLOEXEC closes the command's end in a successful exec, which start_command() depends on.
        int ends[2];
        if (signals_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return errno;
        auto const self = ::getpid();
        pid_ = ::fork();
        if (pid_ == 0) {
            // With it open in this process, too, the end of the guardian would not be seen.
            ::close(ends[0]);
            become(command_, self, ends[1]);
        }
        if (pid_ < 0)
            return errno;
        withdraw(ends[0]);
        int const why = start_command(ends[0]);
        ::close(ends[0]);
        return why;
    }

    [[noreturn]] void watch() noexcept
    {
        tell({notice::started, 0});
        if (command_.ends_in >= 0)
            alarm_ = {alarm::terminate, now() + command_.ends_in};
        for (;;) {
            collect();
            if (is_ending_)
                end_some();
            wait();
        }
    }

    void tell(notice n) const noexcept { ::send(channel_, &n, sizeof n, MSG_NOSIGNAL); }

private:
    // After the fork, because the command must not inherit any of this. Closes the command's end of `start`, too.
    void withdraw(int start) const noexcept
    {
        ::setpgid(0, 0);
        change_name();
        [[maybe_unused]] auto const changed = ::chdir("/");  // a file system that the tool used can be unmounted
        close_all_except({channel_, signals_, start});
    }

    // Processes that were killed end soon, unless they wait for a disk; then the kernel ends them later.
    void wait() noexcept
    {
        pollfd events[]{{has_tool_ ? channel_ : -1, POLLIN, 0}, {signals_, POLLIN, 0}};
        ::poll(events, 2, longest_wait());
        if (events[0].revents != 0)
            obey();
        ring();
    }

    void obey() noexcept
    {
        order o{};
        auto const size = ::recv(channel_, &o, sizeof o, 0);
        if (size < 0 && errno == EINTR)
            return;
        if (size != sizeof o)
            return outlive_tool();
        switch (o.what) {
            case order::leave: ::_exit(0);
            case order::end_job: is_ending_ = true; break;
            case order::send_signal: send_signal(o.number); break;
            case order::expect_end: alarm_ = {alarm::terminate, now() + o.number}; break;
            case order::watch_no_end: alarm_ = {}; break;
        }
    }

    // The tool was stopped, or has got no processor time, until the lease has ended.
    void ring() noexcept
    {
        if (alarm_.what == alarm::none || now() < alarm_.at)
            return;
        if (alarm_.what == alarm::terminate)
            tell({notice::expired, 0});
        if (alarm_.what == alarm::terminate && command_.kill_after > 0) {
            send_signal(SIGTERM);
            send_signal(SIGCONT);  // a command that is stopped would not receive SIGTERM
            alarm_ = {alarm::kill, now() + command_.kill_after};
        } else {
            is_ending_ = true;
            alarm_ = {};
        }
    }

    // In milliseconds; -1: for ever.
    int longest_wait() const noexcept
    {
        if (is_ending_)
            return pause_;
        if (alarm_.what == alarm::none)
            return -1;
        // The clock of poll() stands still while the machine is suspended.
        return static_cast<int>(std::clamp<std::int64_t>(alarm_.at - now(), 0, 1000));
    }

    // The end of the stream: the tool has ended without a word, so it was killed.
    void outlive_tool() noexcept
    {
        if (!command_.dies_with_tool)
            ::_exit(0);
        has_tool_ = false;
        is_ending_ = true;
        alarm_ = {};
    }

    // A round reaches the children. The next one reaches those that they have left.
    void end_some() noexcept
    {
        pause_ = std::min(pause_ + 1, longest_pause);
        bool const in_group = group() != 0 && ::kill(-group(), SIGKILL) == 0;
        if (!all_ended_ && (kill_children() || in_group))
            return;
        is_ending_ = false;
        if (!has_tool_)
            ::_exit(0);
        if (!all_ended_)
            tell({notice::all_ended, 0});
    }

    // The number of a group without members may be that of another group already.
    pid_t group() const noexcept { return command_.leads_group && !all_ended_ ? pid_ : 0; }

    void send_signal(int number) const noexcept
    {
        // The group may have members after the command has ended.
        if (group() != 0)
            ::kill(-pid_, number);
        else if (!ended_)
            ::kill(pid_, number);
    }

    void collect() noexcept
    {
        signalfd_siginfo ignored;
        while (::read(signals_, &ignored, sizeof ignored) > 0) {}
        int status = 0;
        pid_t pid = 0;
        // WUNTRACED is not set: a command that is stopped has not ended.
        while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == pid_ && !ended_) {
                ended_ = true;
                tell({notice::ended, status});
            }
        if (pid < 0 && errno == ECHILD && !all_ended_) {
            all_ended_ = true;
            tell({notice::all_ended, 0});
        }
    }

    guarded_command const& command_;
    int const channel_;
    int const signals_;
    pid_t pid_ = -1;
    bool ended_ = false;
    bool all_ended_ = false;
    bool has_tool_ = true;
    bool is_ending_ = false;  // the job is being killed
    alarm alarm_;
    int pause_ = 0;  // in milliseconds, between two rounds
};

}  // namespace

void guard(guarded_command const& command, int channel) noexcept
{
    guardian g(command, channel);
    if (int const why = g.start(); why != 0) {
        g.tell({notice::failed, why});
        ::_exit(0);
    }
    g.watch();
}

}  // namespace holdfast::cli
