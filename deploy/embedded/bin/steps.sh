# Sourced by the scripts beside it: runs build steps side by side, each with a log, and shows every few seconds what they are doing.
# shellcheck shell=bash disable=SC2154

step_names=()
step_pids=()

# step NAME COMMAND...: starts a step in the background.
step() {
  local name=$1
  shift
  mkdir -p "$build_logs"
  "$@" >"$build_logs/$name.log" 2>&1 &
  step_names+=("$name")
  step_pids+=($!)
}

# last_line NAME: what the step has said last, in one short line.
last_line() {
  tail -c 2000 "$build_logs/$1.log" 2>/dev/null | tr '\r' '\n' | sed 's/\x1b\[[0-9;]*[A-Za-z]//g; s/^ *//' | grep -Ev '^(\[INFO\] *-*)?$|-{10}' | tail -n 1 | cut -c 1-90
}

# await_steps: waits for all steps, with a line for each running one every five seconds. Fails with the end of the log of the first
# that fails, and stops the others.
await_steps() {
  local started=$SECONDS tick=0 index running name
  trap 'stop_steps; exit 130' INT TERM
  while :; do
    running=()
    for index in "${!step_names[@]}"; do
      name=${step_names[$index]}
      if kill -0 "${step_pids[$index]}" 2>/dev/null; then
        running+=("$name")
      elif wait "${step_pids[$index]}"; then
        [ $((SECONDS - started)) -lt 3 ] || say "$(printf '[%3d s] %-12s done' $((SECONDS - started)) "$name")"
        unset "step_names[$index]" "step_pids[$index]"
      else
        stop_steps
        tail -n 25 "$build_logs/$name.log" >&2
        fail "$name failed: its last lines stand above, all of them in $build_logs/$name.log."
      fi
    done
    [ ${#running[@]} -gt 0 ] || break
    if [ $tick -ge 25 ]; then
      tick=0
      for name in "${running[@]}"; do say "$(printf '[%3d s] %-12s %s' $((SECONDS - started)) "$name" "$(last_line "$name")")"; done
    fi
    tick=$((tick + 1))
    sleep 0.2
  done
  step_names=()
  step_pids=()
  trap - INT TERM
}

# Steps run programs that run programs: each is asked to end, children first.
stop_steps() {
  local pid
  for pid in "${step_pids[@]}"; do stop_tree "$pid"; done
}

stop_tree() {
  local child
  # shellcheck disable=SC2013
  for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do stop_tree "$child"; done
  kill "$1" 2>/dev/null || true
}
