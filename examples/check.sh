# check.sh SCRIPT URL: runs the `check` of an example, with these functions, $url, and $here, the folder of the script. It
# ends the processes that the script has started, and shows their output if the check fails.
set -euo pipefail
script=$1 url=$2 here=$(dirname "$1")
processes=()

finish() {
    local status=$?
    ((${#processes[@]} == 0)) || kill -KILL "${processes[@]}" 2>/dev/null || true
    ((status == 0 || status == 77)) || tail -n 50 -- *.log >&2 2>/dev/null || true
    exit "$status"
}
trap finish EXIT

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "check: $*" >&2; exit 1; }

# Starts a program, whose output goes to LABEL.log. Its process is $!, and ${process[LABEL]}. `<&0`: the shell would give
# a process in the background no input.
declare -A process
start() { # LABEL PROGRAM [ARGUMENT...]
    "${@:2}" <&0 >"$1.log" 2>&1 &
    process[$1]=$!
    processes+=($!)
}

# Waits for a line in the output of a process, for 30 s at most.
await() { # LABEL PATTERN
    local n
    for ((n = 0; n < 600; ++n)); do
        grep -qE "$2" "$1.log" && return 0
        sleep 0.05
    done
    fail "$1 did not print: $2"
}

# Waits for the end of a process; fails unless it ends with that status.
ends_with() { # STATUS LABEL
    local status=0
    wait "${process[$2]}" || status=$?
    ((status == $1)) || fail "$2 has ended with status $status"
}

port_of() { await "$1" '^port [0-9]+$' && sed -n 's/^port //p' "$1.log"; } # LABEL

. "$script"
