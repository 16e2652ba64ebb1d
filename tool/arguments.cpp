//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "tool/arguments.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

#include <CLI/CLI.hpp>

#include <holdfast/version.hpp>

#include "tool/duration.hpp"
#include "tool/exit_status.hpp"
#include "tool/report_error.hpp"
#include "tool/usage_rules.hpp"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

constexpr auto run_footer =
    R"(The command runs while the lock is held; the lease is renewed meanwhile. Its environment has HOLDFAST_LOCK_NAME
and, unless --no-fencing is given, HOLDFAST_FENCING_TOKEN: a number greater than that of every earlier holder; readers
have none.

Signals (HUP INT QUIT TERM USR1 USR2 WINCH) are passed on to the command, except those that the terminal sends, such
as that of Ctrl-C: the command shares the terminal and receives them itself. Without a controlling terminal (cron,
systemd, CI) the command has a process group of its own, and the whole group receives the signals. A stopped holdfast
(Ctrl-Z) does not renew: when the lease has ended, its guardian ends the command as after any loss.

If holdfast itself is killed, also by KILL, its guardian (job-guardian in ps, the parent of the command) kills the
command and all processes that descend from it at once, before the lease can end: in the background, in sessions of
their own, and daemons, too. If the lease is lost, those that remain after --kill-after are killed as well. Not killed
are processes of another user, such as those of sudo (unless holdfast runs as root), and those that another service has
started for the command (systemd-run, at, docker); all but the command if the guardian itself is killed; and a process
that waits for a disk ends later. With --on-loss ignore nothing is killed. What the command has started and left
behind goes on when the command ends by itself.

For a job that cron starts on several hosts: --wait 0 --at-least 30s --busy-exit 0 --quiet. One host runs it, the others
end with 0 and without a word, if their clocks differ by less than 30 s.

A password in --url is in the process list until holdfast has read it, and one in HOLDFAST_URL stays in the environment of
holdfast: prefer --url-file. COMMAND inherits HOLDFAST_URL only with --pass-url.

With --permits the command runs while it holds permits of a semaphore. If there is one already, its number holds: holdfast
permits NAME --set changes it. With --numbered the environment has HOLDFAST_PERMIT_NUMBER, too: 1 to that number.

With several --url the lock is a red_lock: held while a majority of these independent servers holds it. A server that
was started less than --lease ago does not count. All contenders must give the same servers and the same --lease.

Exit status: the command's own, 128 + N if signal N killed it or ended the wait; 75, or that of --busy-exit, the lock was
not acquired in time; 69 Redis was not reachable, or refused, or the key is no lock; 74 the lease was lost, and the
command was stopped, or ended with 0 nevertheless; 64 bad usage; 126, 127 the command could not be executed, was not found.

  holdfast run nightly --wait 10s -- ./backup.sh --full)";

constexpr auto elect_footer =
    R"(The command runs while this process leads; it resigns when the command ends. The environment of the command has
HOLDFAST_LOCK_NAME and HOLDFAST_FENCING_TOKEN, the term: a number greater than that of every earlier leader.

Signals, --on-loss, the environment and the exit status are those of holdfast run: 75, or that of --busy-exit, somebody
else led for all of --wait; 74 the leadership was lost, and the command was stopped, or ended with 0 nevertheless. With
--again, 74 also if somebody else led for all of --wait after a loss.

  holdfast elect boss --value "$(hostname):9000" -- ./serve)";

constexpr auto leader_footer =
    R"(With --watch it prints a line for each change, until Ctrl-C. Values are shown with escapes.

Exit status: 0 the leader is known, or nobody leads; 69 Redis was not reachable, or refused.)";

constexpr auto list_footer =
    R"(It walks over all keys of the database, whatever the pattern: a SCAN for each 200 of them, in a script that
reads those that match and blocks the server meanwhile. Between two scripts the server executes other commands.

Exit status: 0 all locks were listed; 69 Redis was not reachable, or refused, or a lock could not be read.)";

constexpr auto status_footer =
    R"(With several --url it prints a block for each of these servers of a red_lock, then on how many of them
the lock is held. A server is not waited for longer than 5 s.

Exit status: 0 the state is known: with several servers, that of a majority; 69 Redis was not reachable, or refused.)";

constexpr auto permits_footer =
    R"(With --set it prints the numbers after the change. Holders keep their permits: after the number was lowered
nothing is granted until enough were released. --set also repairs a semaphore whose keys were changed by others.

With --revoke one holder loses its permits at once, although it may still be running: others can be granted them. ID is
that which permits and status show, without the label in brackets. It prints the numbers after that.

Exit status: 0 the numbers are known; 69 Redis was not reachable, or refused, or the key is no semaphore;
64 bad usage.)";

constexpr auto dashboard_footer =
    R"(It serves a page until SIGINT or SIGTERM, and prints its URL. Like list, it scans all keys of the database, in
small steps and slowly enough to take less than 1 % of the server's time, of the first scan up to 5 %.

If it listens on another address than loopback, or with --allow-release, every request needs a token: that of
--token-file or HOLDFAST_DASHBOARD_TOKEN, otherwise a new one, which is in the URL that is printed. It speaks no TLS: use
a tunnel (ssh -L 8077:127.0.0.1:8077 HOST) or a proxy, whose name --allow-host permits.

Exit status: 0 it was ended by a signal; 64 bad usage; 69 Redis was not reachable at the start, or the address is in
use.)";

// CLI11 would not mention the command, because split() removes its words before CLI11 parses the rest.
class run_formatter final : public CLI::Formatter {
public:
    std::string make_usage(CLI::App const* app, std::string) const override
    {
        return "Usage: holdfast " + app->get_name() + " NAME [OPTIONS] -- COMMAND [ARGUMENTS...]\n";
    }
};

std::string version()
{
    return "holdfast " + std::to_string(HOLDFAST_VERSION / 10000) + "." + std::to_string(HOLDFAST_VERSION / 100 % 100)
           + "." + std::to_string(HOLDFAST_VERSION % 100);
}

// An option with a conversion of its own: CLI11 has no type for a duration with a unit that is limited to a year.
CLI::Option* add_duration(
    CLI::App& app, std::string const& name, std::function<void(milliseconds)> set, char const* help)
{
    auto const read = [name, set = std::move(set)](std::string const& text) {
        auto const d = parse_duration(text);
        if (!d)
            throw CLI::ValidationError(name, "'" + text + "' is not a duration, such as 500ms, 10s, 5m or 1h");
        set(*d);
    };
    return app.add_option_function<std::string>(name, read, help)->type_name("DURATION");
}

// HOLDFAST_URL is read by some_servers(), because CLI11 would read it beside --url-file, too.
void add_servers(CLI::App& app, server_options& servers)
{
    // One value for each --url: otherwise an argument that follows, such as the lock's name, would be a URL, too.
    auto* const url = app.add_option(
        "--url",
        servers.urls,
        "The server: redis[s]://, redis[s]+cluster://, redis[s]+sentinel:// or unix:// [HOLDFAST_URL, else "
        "redis://localhost:6379]");
    url->type_name("URL")->allow_extra_args(false);
    app.add_option("--url-file", servers.url_file, "A file with the URL, which may have a password")
        ->type_name("FILE")
        ->excludes(url);
    app.add_option("--tls-ca", servers.ca_file, "A PEM file with the trusted authorities of TLS [those of the system]")
        ->type_name("FILE");
}

void add_name(CLI::App& app, std::string& name)
{
    app.add_option("NAME", name, "The lock")->required();
}

// The words of an option, and what each means. The first one is the default, which the help shows.
template <class Value>
struct choice {
    char const* word;
    Value value;
};

constexpr std::array kinds{
    choice{"mutex", lock_kind::mutex},
    choice{"reentrant", lock_kind::reentrant},
    choice{"fair", lock_kind::fair},
    choice{"read", lock_kind::read},
    choice{"write", lock_kind::write}};
constexpr std::array actions{
    choice{"term", loss_action::term}, choice{"kill", loss_action::kill}, choice{"ignore", loss_action::ignore}};

template <class Choices>
std::string words_of(Choices const& choices)
{
    std::string all;
    for (auto const& c : choices)
        all.append(all.empty() ? "" : ", ").append(c.word);
    return all;
}

template <class Choices, class Value>
void add_choice(CLI::App& app, std::string const& name, Choices const& choices, Value& value, std::string const& help)
{
    auto const read = [name, &choices, &value](std::string const& text) {
        auto const found = std::ranges::find_if(choices, [&](auto const& c) { return c.word == text; });
        if (found == choices.end())
            throw CLI::ValidationError(name, "'" + text + "' is not one of " + words_of(choices));
        value = found->value;
    };
    app.add_option_function<std::string>(name, read, help + ": " + words_of(choices) + " [" + choices[0].word + "]")
        ->type_name("WORD");
}

void add_semaphore(CLI::App& app, permit_arguments& semaphore)
{
    auto* const permits = app.add_option(
        "--permits",
        semaphore.permits,
        "Acquire permits of a semaphore instead of a lock; it is created with so many [a lock]");
    permits->type_name("NUMBER");
    app.add_option("--weight", semaphore.weight, "How many permits it acquires [1]")
        ->type_name("NUMBER")
        ->needs(permits);
    app.add_flag("--fair", semaphore.fair, "Permits in order of arrival, over all hosts")->needs(permits);
    app.add_flag("--numbered", semaphore.numbered, "A permit with a number that no other has")->needs(permits);
    app.add_flag("--with-redisson", semaphore.with_redisson, "Releases of Redisson's clients notify waiters, too")
        ->needs(permits);
}

void add_exits(CLI::App& app, run_arguments& run)
{
    app.add_option("--busy-exit", run.busy_exit, "The exit status if it was not acquired in time, 0 to 255 [75]")
        ->type_name("NUMBER");
    app.add_flag("--quiet", run.quiet, "Say nothing of that, nor of connections that come back; for cron");
    app.add_flag("--pass-url", run.pass_url, "Leave HOLDFAST_URL in the environment of COMMAND");
}

void add_run(CLI::App& app, run_arguments& run)
{
    add_name(app, run.name);
    add_duration(
        app,
        "--wait",
        [&run](milliseconds d) { run.wait = d; },
        "The longest wait for the lock; 0: one attempt [no limit]");
    add_duration(
        app,
        "--lease",
        [&run](milliseconds d) { run.lease = d; },
        "How long the lock stays held after holdfast has died [30s]");
    add_duration(
        app,
        "--at-least",
        [&run](milliseconds d) { run.at_least = d; },
        "How long the lock stays taken from the grant on, also if COMMAND ends before [until COMMAND ends]");
    add_choice(app, "--kind", kinds, run.kind, "The kind of lock");
    add_choice(app, "--on-loss", actions, run.on_loss, "What happens to the command when the lease is lost");
    app.add_option("--priority", run.priority, "Of a waiter of a fair lock, 1 to 10; higher ones go first [5]")
        ->type_name("NUMBER");
    add_semaphore(app, run.semaphore);
    add_duration(
        app, "--kill-after", [&run](milliseconds d) { run.kill_after = d; }, "The time from TERM to KILL [10s]");
    add_exits(app, run);
    app.add_flag("!--no-fencing", run.fencing, "No fencing token: saves a script on the server");
    app.add_flag("--fencing", run.fencing)->group("");  // the default; accepted, but not shown in the help
    app.formatter(std::make_shared<run_formatter>());
    app.footer(run_footer);
}

void add_elect(CLI::App& app, run_arguments& elect)
{
    app.add_option("NAME", elect.name, "The election")->required();
    elect.value.emplace();
    elect.kind = lock_kind::fair;  // of its lock, so it has priorities
    app.add_option(
           "--value", *elect.value, "What observers learn of this leader, such as an address; 4096 bytes [none]")
        ->type_name("TEXT");
    add_duration(
        app,
        "--wait",
        [&elect](milliseconds d) { elect.wait = d; },
        "The longest wait for the leadership; 0: one attempt [no limit]");
    add_duration(
        app,
        "--lease",
        [&elect](milliseconds d) { elect.lease = d; },
        "How long after the death of holdfast the next one leads [30s]");
    app.add_option("--priority", elect.priority, "1 to 10; candidates with a higher one go first [5]")
        ->type_name("NUMBER");
    add_choice(app, "--on-loss", actions, elect.on_loss, "What happens to the command when the leadership is lost");
    app.add_flag("--again", elect.again, "After a loss has ended the command, stand for election again");
    add_duration(
        app, "--kill-after", [&elect](milliseconds d) { elect.kill_after = d; }, "The time from TERM to KILL [10s]");
    add_exits(app, elect);
    app.formatter(std::make_shared<run_formatter>());
    app.footer(elect_footer);
}

void add_leader(CLI::App& app, leader_arguments& leader)
{
    app.add_option("NAME", leader.name, "The election")->required();
    app.add_flag("--json", leader.json, "Print one line of JSON, with --watch one for each change");
    app.add_flag("--watch", leader.watch, "Print each change, until Ctrl-C");
    app.footer(leader_footer);
}

void add_dashboard(CLI::App& app, dashboard_arguments& dashboard)
{
    app.add_option("PATTERN", dashboard.pattern, "Only locks whose names match, such as 'order:*' [all]");
    app.add_option("--listen", dashboard.listen, "The address and the port of the page; port 0: any")
        ->type_name("ADDRESS:PORT")
        ->capture_default_str();
    app.add_option("--allow-host", dashboard.hosts, "A host name under which browsers may reach the page")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--token-file", dashboard.token_file, "A file whose first line is the token")->type_name("FILE");
    app.add_flag("--allow-release", dashboard.allow_release, "Let users of the page release locks by force");
    add_duration(
        app,
        "--interval",
        [&dashboard](milliseconds d) { dashboard.interval = d; },
        "The shortest time between two looks at a lock; at least 100ms [1s]");
    app.footer(dashboard_footer);
}

// The words after the first `--` of `run` and `elect` belong to the command, also if they look like options of the
// tool. So they are removed before CLI11 parses the rest.
struct split_words {
    std::vector<std::string> ours;  // of the tool; in reverse order, as CLI11 requires
    std::vector<std::string> command;
};

split_words split(int argc, char const* const* argv)
{
    // A program may be started without any argument, not even its name.
    std::span const words(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    std::string_view const subcommand = words.empty() ? "" : words.front();
    bool const has_command = subcommand == "run" || subcommand == "elect";
    auto const isnt_mark = [](std::string_view w) { return w != "--"; };
    auto const mark = has_command ? std::ranges::find_if_not(words, isnt_mark) : words.end();

    split_words result{{words.begin(), mark}, {}};
    std::ranges::reverse(result.ours);
    if (mark != words.end())
        result.command.assign(mark + 1, words.end());
    return result;
}

void add_permits(CLI::App& app, permits_arguments& permits)
{
    app.add_option("NAME", permits.name, "The semaphore")->required();
    auto* const set = app.add_option("--set", permits.set, "The new number of permits, for all clients");
    set->type_name("NUMBER");
    app.add_option("--revoke", permits.revoke, "Take the permits of this holder away")
        ->type_name("ID")
        ->check([](std::string const& id) { return id.empty() ? "must not be empty" : ""; })
        ->excludes(set);
    app.add_flag("--json", permits.json, "Print one line of JSON");
    app.footer(permits_footer);
}

void add_list(CLI::App& app, list_arguments& list)
{
    app.add_option("PATTERN", list.pattern, "Only those whose names match, such as 'order:*' [all]");
    app.add_flag("--json", list.json, "Print one line of JSON");
    auto* const watch = app.add_flag("--watch", list.watch, "Print the locks again and again, until Ctrl-C");
    add_duration(
        app,
        "--interval",
        [&list](milliseconds d) { list.interval = d; },
        "The time between two scans of --watch; at least 100ms [2s]")
        ->needs(watch);
    app.footer(list_footer);
}

}  // namespace

std::variant<arguments, int> parse_arguments(int argc, char const* const* argv)
{
    CLI::App app("Distributed locks over Redis, for the command line.", "holdfast");
    app.set_version_flag("--version", version());
    app.require_subcommand(1);
    app.footer("holdfast SUBCOMMAND --help has the details. Exit status of each: 73 its results could not be written.");

    run_arguments run, elect;
    leader_arguments leader;
    status_arguments status;
    release_arguments release;
    permits_arguments permits;
    list_arguments list;
    doctor_arguments doctor;
    dashboard_arguments dashboard;
    bool force = false;
    server_options servers;

    auto& run_app = *app.add_subcommand("run", "Run a command while holding a lock");
    add_run(run_app, run);
    add_servers(run_app, servers);
    auto& status_app = *app.add_subcommand("status", "Show the holders of a lock and their remaining time");
    add_name(status_app, status.name);
    status_app.add_flag("--json", status.json, "Print one line of JSON");
    status_app.footer(status_footer);
    add_servers(status_app, servers);
    auto& release_app = *app.add_subcommand("release", "Delete the key of a lock, although it is held");
    add_name(release_app, release.name);
    add_servers(release_app, servers);
    release_app.add_flag("--force", force, "Required, because the holder may still be running");
    auto& permits_app = *app.add_subcommand(
        "permits", "Show the permits of a semaphore, set their number, or revoke some");
    add_permits(permits_app, permits);
    add_servers(permits_app, servers);
    auto& elect_app = *app.add_subcommand("elect", "Run a command while leading");
    add_elect(elect_app, elect);
    add_servers(elect_app, servers);
    auto& leader_app = *app.add_subcommand("leader", "Show who leads an election");
    add_leader(leader_app, leader);
    add_servers(leader_app, servers);
    auto& list_app = *app.add_subcommand("list", "Show the locks on the server and their holders");
    add_list(list_app, list);
    add_servers(list_app, servers);
    auto& doctor_app = *app.add_subcommand("doctor", "Check whether the server is suitable for locks");
    doctor_app.add_option(
        "NAME", doctor.name, "How the names of the keys and channels of the tests begin [holdfast:doctor]");
    doctor_app.add_flag("--json", doctor.json, "Print one line of JSON");
    add_duration(
        doctor_app,
        "--lease",
        [&doctor](milliseconds d) { doctor.lease = d; },
        "The lease time of your locks, which should outlast a failover of a cluster [30s]");
    doctor_app.footer(
        "Exit status: 0 it is suitable, with or without warnings; 1 it is not; 69 Redis was not reachable.");
    add_servers(doctor_app, servers);
    auto& dashboard_app = *app.add_subcommand("dashboard", "Serve a page that shows the locks of the server");
    add_dashboard(dashboard_app, dashboard);
    add_servers(dashboard_app, servers);

    // Before a client exists: wrong usage sends nothing.
    auto words = split(argc, argv);
    try {
        app.parse(words.ours);
        if (status_app.parsed())
            return arguments{some_servers(servers), status};
        if (permits_app.parsed())
            return arguments{only_server(servers), permits};
        if (leader_app.parsed())
            return arguments{only_server(servers), leader};
        if (list_app.parsed())
            check_interval(list.interval);
        if (list_app.parsed())
            return arguments{only_server(servers), list};
        if (doctor_app.parsed())
            return arguments{only_server(servers), doctor};
        if (dashboard_app.parsed())
            check_interval(dashboard.interval);
        if (dashboard_app.parsed())
            return arguments{only_server(servers), dashboard};
        if (release_app.parsed() && !force)
            throw CLI::ValidationError("release", "--force is required, because the holder may still be running");
        if (release_app.parsed())
            return arguments{only_server(servers), release};
        if (words.command.empty())
            throw CLI::ValidationError(
                "a command is missing",
                "holdfast " + std::string(elect_app.parsed() ? "elect" : "run") + " NAME [OPTIONS] -- COMMAND");
        if (elect_app.parsed()) {
            elect.command = std::move(words.command);
            check_priority(elect);
            check_busy_exit(elect);
            return arguments{only_server(servers), elect};
        }
        run.command = std::move(words.command);
        check_priority(run);
        check_busy_exit(run);
        auto const all = some_servers(servers);
        check_at_least(all, run);
        check_servers(all, run);
        check_permits(all, run);
        return arguments{all, run};
    } catch (CLI::Success const& e) {
        return app.exit(e);  // --help and --version: prints the text
    } catch (CLI::ParseError const& e) {
        report_error(e.what());
        write_line(stderr, "Try holdfast --help.");
        return bad_usage;
    }
}

}  // namespace holdfast::cli
