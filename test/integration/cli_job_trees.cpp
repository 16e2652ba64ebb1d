//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "cli_tool.hpp"

using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

// The job writes the numbers of its processes into the file, and a process that has none is one of another program.
struct job_folder {
    std::filesystem::path at;

    std::string file() const { return (at / "pids").string(); }

    std::vector<pid_t> pids() const
    {
        std::vector<pid_t> all;
        std::ifstream file(at / "pids");
        for (pid_t pid = 0; file >> pid;)
            all.push_back(pid);
        return all;
    }
};

bool lives(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return file >> number >> name >> state && state != "Z";
}

bool any_lives(std::vector<pid_t> const& all)
{
    for (auto const pid : all)
        if (lives(pid))
            return true;
    return false;
}

struct tree {
    char const* what;
    std::string script;  // appends the number of each of its processes to $PIDS
    std::size_t processes;
};

// Each process that remains is a `sleep`, or a shell that waits for one.
std::vector<tree> trees()
{
    return {
        {"a shell and its child", "echo $$ >> $PIDS; sh -c 'echo $$ >> $PIDS; exec sleep 100' & wait", 2},
        {"children that ignore signals",
         "trap '' HUP INT TERM; echo $$ >> $PIDS; sh -c 'echo $$ >> $PIDS; exec sleep 100' & wait",
         2},
        {"a pipeline",
         "(echo $(exec sh -c 'echo $PPID') >> $PIDS; exec sleep 100) | sh -c 'echo $$ >> $PIDS; cat; sleep 100'",
         2},
        {"a child whose parent has ended",
         "echo $$ >> $PIDS; sh -c 'sh -c \"echo \\$\\$ >> $PIDS; exec sleep 100\" & exit 0'; exec sleep 100",
         2},
        {"a child with a session of its own",
         "echo $$ >> $PIDS; setsid sh -c 'echo $$ >> $PIDS; exec sleep 100' & wait",
         2},
        {"a daemon after two forks",
         "echo $$ >> $PIDS; setsid sh -c 'sh -c \"echo \\$\\$ >> $PIDS; exec sleep 100\" & exit 0'; exec sleep 100",
         2},
    };
}

std::vector<tree> trees_of_python()
{
    return {
        {"a child that has become another user, if the tool may do that",
         "echo $$ >> $PIDS; exec python3 -c 'import os, subprocess\n"
         "become = (lambda: os.setuid(65534)) if os.geteuid() == 0 else None\n"
         "p = subprocess.Popen([\"sleep\", \"100\"], preexec_fn=become, start_new_session=True)\n"
         "open(os.environ[\"PIDS\"], \"a\").write(\"%d\\n\" % p.pid)\n"
         "p.wait()'",
         2},
        {"a program with threads that start programs",
         "exec python3 -c 'import os, subprocess, threading\n"
         "def note(pid): open(os.environ[\"PIDS\"], \"a\").write(\"%d\\n\" % pid)\n"
         "def work():\n"
         "    p = subprocess.Popen([\"sleep\", \"100\"], start_new_session=True); note(p.pid); p.wait()\n"
         "note(os.getpid())\n"
         "for i in range(3): threading.Thread(target=work).start()'",
         4},
    };
}

std::vector<tree> all_trees()
{
    auto all = trees();
    if (std::system("python3 -c '' 2>/dev/null") == 0)
        for (auto& t : trees_of_python())
            all.push_back(std::move(t));
    return all;
}

std::vector<std::string> run_tree(tree const& t, job_folder const& folder, std::vector<std::string> options = {})
{
    return run_sh("export PIDS=" + folder.file() + "; " + t.script, std::move(options));
}

}  // namespace

TEST_CASE("cli job: no process of the job lives when the lock of a killed holdfast is granted again", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tree const t = GENERATE(from_range(all_trees()));
    auto const on = GENERATE(terminal::none, terminal::controlling);
    CAPTURE(t.what, on == terminal::controlling);
    tool killed(server, run_tree(t, folder, {"--lease", "2s"}), on);
    REQUIRE(eventually([&] { return folder.pids().size() == t.processes; }));
    auto const pids = folder.pids();
    killed.send(SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
    // The next holder looks at once. No PID is repeated by then.
    std::string test;
    for (auto const pid : pids)
        test += "test -e /proc/" + std::to_string(pid) + " && grep -q '^State:[^Z]*$' /proc/" + std::to_string(pid)
                + "/status && exit 3; ";
    CHECK(run_tool(server, run_sh(test + "exit 0")) == 0);
    CHECK_FALSE(any_lives(pids));
}

TEST_CASE("cli job: a lost lease ends every process of the job", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tree const t = GENERATE(from_range(all_trees()));
    auto const on = GENERATE(terminal::none, terminal::controlling);
    CAPTURE(t.what, on == terminal::controlling);
    tool holder(server, run_tree(t, folder, {"--lease", "5s", "--kill-after", "100ms"}), on);
    REQUIRE(eventually([&] { return folder.pids().size() == t.processes; }));
    server.command({"DEL", "job"});
    CHECK(holder.wait() == 74);
    CHECK_FALSE(any_lives(folder.pids()));
}

TEST_CASE("cli job: nothing of the job of a stopped holdfast lives after its lease has ended", "[cli]")
{
    tree const t = GENERATE(from_range(trees()));
    auto const on = GENERATE(terminal::none, terminal::controlling);
    redis_server server;
    job_folder const folder{server.folder()};
    tool stopped(server, run_tree(t, folder, {"--lease", "5s", "--kill-after", "100ms"}), on);
    CAPTURE(t.what, on == terminal::controlling);
    REQUIRE(eventually([&] { return folder.pids().size() == t.processes; }));
    stopped.send(SIGSTOP);
    CHECK(eventually([&] { return !any_lives(folder.pids()); }));
    stopped.send(SIGCONT);
    CHECK(stopped.wait() == 74);
}

TEST_CASE("cli job: the guardian of a stopped holdfast sends SIGTERM first", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tool stopped(
        server,
        run_sh(
            "trap 'echo > " + folder.file() + "; exit 0' TERM; echo up; while :; do sleep 0.05; done",
            {"--lease", "2s"}));
    REQUIRE(stopped.prints("up"));
    stopped.send(SIGSTOP);
    CHECK(eventually([&] { return std::filesystem::exists(folder.file()); }));
    stopped.send(SIGCONT);
    CHECK(stopped.wait() == 74);
}

TEST_CASE("cli job: a job runs for many lease times while holdfast renews", "[cli]")
{
    redis_server server;
    CHECK(run_tool(server, run_sh("sleep 7", {"--lease", "2s"})) == 0);
}

TEST_CASE("cli job: with --on-loss ignore the job of a stopped holdfast goes on", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tool stopped(
        server,
        run_sh("echo $$ > " + folder.file() + "; echo up; exec sleep 100", {"--lease", "2s", "--on-loss", "ignore"}));
    REQUIRE(stopped.prints("up"));
    stopped.send(SIGSTOP);
    std::this_thread::sleep_for(3s);  // it must not end, so there is nothing to wait for
    REQUIRE(any_lives(folder.pids()));
    stopped.send(SIGKILL);
    ::kill(folder.pids().front(), SIGKILL);
}

TEST_CASE("cli job: with --on-loss ignore the job outlives a killed holdfast", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tool killed(server, run_sh("echo $$ > " + folder.file() + "; echo up; exec sleep 100", {"--on-loss", "ignore"}));
    REQUIRE(killed.prints("up"));
    killed.send(SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
    std::this_thread::sleep_for(200ms);  // it must not end, so there is nothing to wait for
    REQUIRE(any_lives(folder.pids()));
    ::kill(folder.pids().front(), SIGKILL);
}

TEST_CASE("cli job: what a job leaves behind when it ends by itself goes on", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    tool t(server, run_sh("sleep 100 >/dev/null 2>&1 & echo $! > " + folder.file() + "; exit 4"));
    CHECK(t.wait() == 4);
    REQUIRE(any_lives(folder.pids()));
    ::kill(folder.pids().front(), SIGKILL);
}

TEST_CASE("cli job: the job sees no process of the tool among its children", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, run_sh("wait; cat /proc/$$/task/$$/children; echo end"), &output) == 0);
    // cat is a child of the shell.
    CHECK(count_of(output.substr(0, output.find("end")), " ") == 1);
}

TEST_CASE("cli job: the guardian has no descriptor of the job open, and ends with it", "[cli]")
{
    redis_server server;
    auto const inner =
        " run inner -- sh -c 'cat /proc/$PPID/comm; until [ $(ls /proc/$PPID/fd | wc -l) = 2 ]; do sleep 0.01; done;"
        " exit 5'; echo status=$?; ";
    // Of the session of the shell: the sixth word is its number.
    auto const count = "session=$(awk '{print $6}' /proc/$$/stat); cat /proc/[0-9]*/stat 2>/dev/null"
                       " | awk -v s=$session '$2 == \"(job-guardian)\" && $6 == s' | wc -l";
    std::string output;
    CHECK(run_tool(server, run_sh(HOLDFAST_TOOL + std::string(inner) + count, {"--pass-url"}), &output) == 0);
    // Two descriptors remain: its channel and its signals. Then there is the guardian of the outer job alone.
    CHECK(output == "job-guardian\nstatus=5\n1\n");
}

TEST_CASE("cli job: the guardian has neither the name nor the arguments of the tool", "[cli]")
{
    redis_server server;
    std::string output;
    CHECK(run_tool(server, run_sh("tr '\\0' ' ' < /proc/$PPID/cmdline | tr -s ' '; echo end"), &output) == 0);
    CHECK(output == "job-guardian end\n");
}

TEST_CASE("cli job: signals to the group of holdfast do not end its watch over the job", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    auto const t = trees().front();
    tool killed(server, run_tree(t, folder), terminal::controlling);
    REQUIRE(eventually([&] { return folder.pids().size() == t.processes; }));
    // The terminal is in a session of its own, so the tool leads the group. KILL to all of the group at once.
    ::kill(-killed.pid(), SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
    CHECK(eventually([&] { return !any_lives(folder.pids()); }));
}

TEST_CASE("cli job: a job that is stopped by the terminal goes on when it is continued", "[cli]")
{
    redis_server server;
    job_folder const folder{server.folder()};
    // A shell with job control starts the tool, stops it by Ctrl-Z, and continues it in the foreground.
    tool t(
        server,
        {"run",
         "outer",
         "--pass-url",
         "--",
         "bash",
         "-i",
         "-c",
         "set -m; " HOLDFAST_TOOL " run job -- sh -c 'echo $$ > " + folder.file()
             + "; echo up; read line; echo \"got $line\"; exit 6'; echo stopped=$?; fg; echo status=$?"},
        terminal::controlling);
    REQUIRE(t.prints("up"));
    t.type("\x1a");
    REQUIRE(t.prints("stopped=148"));
    t.type("hello\n");
    CHECK(t.prints("got hello"));
    CHECK(t.prints("status=6"));
}
