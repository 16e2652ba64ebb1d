"""bench_tables.py [--fix]: the tables of docs/comparison.md, from the results that scripts/bench wrote (bench/results).
Without --fix: fails if the page differs from them."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/comparison.md"
BEGIN, END = "<!-- site/bench_tables.py begin -->\n", "<!-- site/bench_tables.py end -->\n"

MUTEXES = (
    "holdfast mutex",
    "holdfast reentrant_lock",
    "Redisson RLock, asynchronous",
    "Redisson RLock, threads",
    "redsync",
)
# Each column: its title, and where it stands: the result, the table in it, the column.
COLUMNS = (
    ("one at once: pairs/s", "peers", "1 at once", "pairs/s"),
    ("1,000 at once: pairs/s", "peers", "1000 at once", "pairs/s"),
    ("1,000 at once: client CPU, us per pair", "peers", "1000 at once", "client us"),
    ("1,000 at once: commands per pair", "peers", "1000 at once", "commands"),
    ("1,500 for 15 locks, 4 processes, 50 ms: pairs/s", "crowd", "4 processes, 50 ms", "pairs/s"),
    ("hand-over to another process, us", "handover", "from release to the next holder", "p50 us"),
)
FAIR = (
    ("pairs/s", "queue", "200 in 4 processes, 5 ms", "pairs/s"),
    ("commands per pair", "queue", "200 in 4 processes, 5 ms", "commands"),
    ("p99 of the waits, us", "queue", "200 in 4 processes, 5 ms", "p99 us"),
)
QUORUM = (
    ("one at once, 3 servers: pairs/s", "quorum", "1 at once over 3 servers", "pairs/s"),
    ("100 at once, 3 servers: pairs/s", "quorum", "100 at once over 3 servers", "pairs/s"),
    ("100 at once, 5 servers: pairs/s", "quorum", "100 at once over 5 servers", "pairs/s"),
)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def result(name, table, row, column):
    """One value: the median, which is followed by the least and the most in the file."""
    lines = (ROOT / f"bench/results/{name}.md").read_text().split("\n")
    at = lines.index(f"**{table}**") + 2
    place = cells(lines[at]).index(column)
    for line in lines[at + 2:]:
        if cells(line)[0] == row:
            return with_commas(cells(line)[place].split("<br>")[0])
        if not line:
            break
    raise ValueError(f"{name}, {table}: there is no row {row}")


def with_commas(number):
    return f"{int(number):,}" if number.isdigit() else number


def table(rows, columns):
    yield "| | " + " | ".join(title for title, *_ in columns) + " |"
    yield "|---|" + "--:|" * len(columns)
    for row in rows:
        values = (result(name, part, row, column) for _, name, part, column in columns)
        yield f"| {row} | " + " | ".join(values) + " |"


def tables():
    yield from table(MUTEXES, COLUMNS)
    yield from ("", "A fair lock, 200 waiters in 4 processes, held for 5 ms:", "")
    yield from table(("holdfast fair_lock", "Redisson RFairLock, asynchronous", "Redisson RFairLock, threads"), FAIR)
    yield from ("", "One lock over several servers:", "")
    yield from table(("holdfast red_lock", "Redisson RedLock, asynchronous", "Redisson RedLock, threads"), QUORUM)


def main(is_fix):
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    fixed = before + BEGIN + "\n".join(tables()) + "\n" + END + rest.split(END)[1]
    if is_fix:
        PAGE.write_text(fixed)
    elif fixed != page:
        print("bench_tables: docs/comparison.md is not what bench/results says; site/bench_tables.py --fix")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--fix"]))
