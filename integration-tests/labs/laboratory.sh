# Sourced by the lab of each folder, from that folder: what all laboratories do. Names and addresses are those of the whole machine, so one of a kind
# stands at a time; its folder, $state, says that it does.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "$0")"

prefix=tocsin-$(basename "$PWD")
state=${TOCSIN_LAB_STATE:-/run/$prefix}

# needs PROGRAM:PACKAGE...
needs() {
  local program
  for program in "$@"; do
    command -v "${program%:*}" >/dev/null || {
      echo "${program%:*} is missing: apt-get install ${program#*:}" >&2
      exit 1
    }
  done
}

# alone: waits until no other laboratory of this kind stands, perhaps of another checkout, and takes away what a killed one left under its names.
alone() {
  for _ in $(seq 300); do
    if mkdir "$state" 2>/dev/null; then
      down
      mkdir "$state"
      return
    fi
    sleep 1
  done
  echo "$state is there since 5 minutes: a laboratory stands already, or was not taken away. $PWD/lab down" >&2
  exit 1
}

# on NAMESPACE COMMAND...
on() {
  local namespace=$prefix-$1
  shift
  ip netns exec "$namespace" "$@"
}

# await SECONDS WHAT LOG... -- COMMAND...: until it succeeds; else says that WHAT is missing, and the logs.
await() {
  local seconds=$1 what=$2 logs=()
  shift 2
  while [ "$1" != -- ]; do
    logs+=("$1")
    shift
  done
  shift
  for _ in $(seq $((seconds * 10))); do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "$what after $seconds s:" >&2
  cat "${logs[@]}" >&2
  exit 1
}

# usage: the head of the lab.
usage() {
  sed -n '2,/^# shellcheck/{/^# shellcheck/!s/^# \{0,1\}//p}' lab
  exit 64
}
