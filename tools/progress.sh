# For scripts: one line of progress on the terminal, the whole output in a file. Sourced, not run.

# with_progress LOG TITLE COMMAND...: runs the command with its output added to LOG, and returns its
# exit code. On a terminal the last line of the output is shown in one line; elsewhere the title is
# printed once.
with_progress() {
    local log=$1 title=$2 line shown columns exit_code=0
    shift 2
    if [[ ! -t 1 ]]; then
        printf '%s\n' "$title"
        "$@" >>"$log" 2>&1
        return
    fi
    columns=$(tput cols 2>/dev/null || echo 80)
    # The subshell that reads the output never fails, so that the pipe's code is the command's.
    "$@" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        shown="$title  $line"
        printf '\r\033[K%s' "${shown:0:columns-1}"
    done || exit_code=$?
    printf '\r\033[K%s\n' "$title"
    return "$exit_code"
}

# Of Ninja's log: what failed, without the steps that went well.
show_build_errors() {
    grep -vE '^\[[0-9]+/[0-9]+\]' "$1" | tail -n 100 || true
}

# Of ctest's log: what failing tests printed, and the list of them at the end. Those that passed or
# were skipped are left out.
show_test_failures() {
    grep -vE '^ *Start +[0-9]+:|Test +#[0-9]+: .*(Passed|Skipped)' "$1" |
        grep -vE '^\[[0-9]+/[0-9]+\]' | tail -n 300 || true
}
