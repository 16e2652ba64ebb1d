//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/child_process.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "tool/exit_status.hpp"

namespace holdfast::cli {
namespace {

[[noreturn]] void fail(char const* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

// Opens the controlling terminal, if there is one; standard input and output may be redirected. With O_NOCTTY it does
// not become the controlling terminal by this.
bool has_terminal() noexcept
{
    int const fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        ::close(fd);
    return fd >= 0;
}

// The form that exec requires, with a null pointer at the end. The words must outlive it.
std::vector<char*> pointers(std::vector<std::string>& words)
{
    std::vector<char*> result;
    for (auto& w : words)
        result.push_back(w.data());
    result.push_back(nullptr);
    return result;
}

// Leaves out the entries that are replaced: with two entries of one name, most programs use the first.
std::vector<std::string> environment_with(std::vector<std::string> added)
{
    // The size is copied: below, `added` grows by the entries of the environment.
    auto const is_replaced = [n = added.size(), &added](std::string const& entry) {
        auto const name = entry.substr(0, entry.find('=') + 1);
        for (std::size_t i = 0; i < n; ++i)
            if (added[i].starts_with(name))
                return true;
        return false;
    };
    for (char** e = ::environ; *e != nullptr; ++e)
        if (!is_replaced(*e))
            added.emplace_back(*e);
    return added;
}

// The steps of the new process between fork and exec. Only functions that are async-signal-safe are permitted there:
// another thread (Asio's resolver has one) may have held the lock of the allocator at the fork. So all memory is
// allocated before.
struct transformation {
    char** arguments;
    char** environment;
    sigset_t const& mask;
    bool leads_group;
    bool dies_with_us;
    pid_t parent;

    [[noreturn]] void operator()(int failures) const noexcept
    {
        if (leads_group)
            ::setpgid(0, 0);
        if (dies_with_us) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            // The parent may have died before prctl(): then no signal will come.
            if (::getppid() != parent)
                ::_exit(by_signal + SIGKILL);
        }
        // The tool has blocked signals for its signalfd. The mask survives exec, and the command must receive signals.
        ::sigprocmask(SIG_SETMASK, &mask, nullptr);
        ::execvpe(arguments[0], arguments, environment);
        // exec returns only if it failed. _exit(), because exit() would run the destructors of the tool in this
        // process.
        int const why = errno;
        [[maybe_unused]] auto const written = ::write(failures, &why, sizeof why);
        ::_exit(not_found);
    }
};

// Waits until the new process has become the command or has failed. Returns the errno of exec, or 0: a successful exec
// closes the pipe, so there is nothing to read.
int read_failure(int fd) noexcept
{
    int why = 0;
    ssize_t size = 0;
    do
        size = ::read(fd, &why, sizeof why);
    while (size < 0 && errno == EINTR);
    return size == sizeof why ? why : 0;
}

pid_t start(transformation const& become_command)
{
    // O_CLOEXEC closes the write end in a successful exec, which read_failure() depends on.
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        fail("pipe");
    auto const pid = ::fork();
    if (pid == 0)
        become_command(ends[1]);
    // The own write end is closed first: with it open the read would never end.
    int const why = pid < 0 ? errno : (::close(ends[1]), read_failure(ends[0]));
    ::close(ends[0]);
    if (pid > 0 && why == 0)
        return pid;
    // The failed process has ended: without this it would stay as a zombie.
    if (pid > 0)
        ::waitpid(pid, nullptr, 0);
    else
        ::close(ends[1]);
    errno = why;  // close() and waitpid() may have changed it
    fail("cannot execute");
}

pid_t start(child_options const& options, bool leads_group)
{
    auto command = options.command;
    auto environment = environment_with(options.environment);
    auto const arguments = pointers(command);
    auto const variables = pointers(environment);
    // The const_casts are for the signature of exec, which does not change the strings.
    return start(transformation{
        const_cast<char**>(arguments.data()),
        const_cast<char**>(variables.data()),
        options.signal_mask,
        leads_group,
        options.dies_with_us,
        ::getpid()});
}

}  // namespace

// With a terminal the command stays in the group of the tool: another group would be in the background, and would be
// stopped when it reads from the terminal.
child_process::child_process(child_options const& options)
    : leads_group_(!has_terminal()), pid_(start(options, leads_group_))
{}

void child_process::send(int signal) const noexcept
{
    // The group may have members after the command has ended.
    if (leads_group_)
        ::kill(-pid_, signal);
    // After its end was collected, the system may give its number to another process.
    else if (!end_)
        ::kill(pid_, signal);
}

bool child_process::poll() noexcept
{
    int status = 0;
    // WUNTRACED is not set: a command that is stopped has not ended.
    if (!end_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
        end_ = status;
    return end_.has_value();
}

int child_process::exit_status() const noexcept
{
    int const status = end_.value_or(0);
    return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_process::has_survivors() const noexcept
{
    return leads_group_ && ::kill(-pid_, 0) == 0;  // signal 0 is not sent: the call only checks for members
}

}  // namespace holdfast::cli
