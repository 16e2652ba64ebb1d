# Completion of `holdfast` in bash, and in zsh by bashcompinit. The words come from the help of the tool, so they are
# those of its version. Names of locks are not completed: that would ask the server.

_holdfast_subcommands() { # HELP
    sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' <<<"$1"
}

_holdfast_options() { # HELP
    sed -n 's/^  \(-h,\)\{0,1\}\(--[a-z-]*\).*/\2/p' <<<"$1"
}

# What an option takes: DURATION, WORD, FILE ...; empty: nothing, or it is no option.
_holdfast_type() { # HELP OPTION
    sed -n "s/^  $2 \([A-Z][A-Z]*\)[ =].*/\1/p" <<<"$1"
}

# The choices of an option that takes a WORD.
_holdfast_choices() { # HELP OPTION
    sed -n "s/^  $2 WORD .*: \(.*\) \[.*/\1/p" <<<"$1" | tr -d ,
}

# The words of the command after `run NAME --`.
_holdfast_command() { # INDEX OF ITS FIRST WORD
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
    else
        COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    fi
}

_holdfast() {
    local tool=${COMP_WORDS[0]} subcommand=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} help words i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        help=$("$tool" --help 2>/dev/null)
        COMPREPLY=($(compgen -W "$(_holdfast_subcommands "$help") --help --version" -- "$current"))
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ($subcommand == run || $subcommand == elect) && ${COMP_WORDS[i]} == -- ]]; then
            _holdfast_command $((i + 1))
            return
        fi
    done
    help=$("$tool" "$subcommand" --help 2>/dev/null) || return
    case $(_holdfast_type "$help" "${COMP_WORDS[COMP_CWORD - 1]}") in
        WORD) words=$(_holdfast_choices "$help" "${COMP_WORDS[COMP_CWORD - 1]}") ;;
        FILE)
            COMPREPLY=($(compgen -f -- "$current"))
            return
            ;;
        '') words=$(_holdfast_options "$help") ;;
        *) return ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _holdfast holdfast
