# Sourced by the scripts beside it: where things are, and how to say things. Changes into the root of the checkout.
# shellcheck shell=bash
# shellcheck disable=SC2034
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
export TOCSIN_HOME=$PWD

port_offset=${PORT_OFFSET:-0}
tools=$TOCSIN_HOME/.tocsin/tools
state=$TOCSIN_HOME/.tocsin/stack-$port_offset
build_logs=$TOCSIN_HOME/.tocsin/build-logs

# Kafka's client is linked with the system's OpenSSL; where its headers or pkg-config are missing, one is built from source, which takes minutes.
export CARGO_FEATURES=''
pkg-config --exists openssl 2>/dev/null || CARGO_FEATURES=tocsin-kafka/vendored-openssl
# The crates that have tests: a fuzz target has its main function from libFuzzer, which only `make fuzz` links.
tested_crates=(--manifest-path ingest/Cargo.toml --release --locked --workspace --exclude tocsin-fuzz --features "$CARGO_FEATURES")

# Timers of the stack may fire up to 4 ms late, so that those of many threads fire together: to wake a processor costs more than what most of them do then.
[ ! -w /proc/self/timerslack_ns ] || echo 4000000 >/proc/self/timerslack_ns

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

[[ $port_offset =~ ^[0-9]{1,5}$ ]] || fail "PORT_OFFSET is '$port_offset': give a whole number from 0 to 56071."

# What `make build` has left: Maven may compile into target/classes meanwhile.
jars="$TOCSIN_HOME/deploy/embedded/target/*:$TOCSIN_HOME/deploy/embedded/target/lib/*"
# The stack's own commands.
stack_command=(java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile=tocsin-supervisor-log4j2.properties
  -cp "$jars" io.tocsin.embedded.command.Main)

# owner_of FOLDER: the process id of the stack that runs in this state folder, if one does.
owner_of() {
  local pid
  pid=$(cat "$1/pid" 2>/dev/null) || return 1
  grep -qa io.tocsin.embedded "/proc/$pid/cmdline" 2>/dev/null || return 1
  printf '%s\n' "$pid"
}

# running_stack: the state folder of the stack that runs with this PORT_OFFSET, from `make up` or `make demo`.
running_stack() {
  local folder
  for folder in "$state" "$TOCSIN_HOME/.tocsin/demo-$port_offset"; do
    if owner_of "$folder" >/dev/null; then
      printf '%s\n' "$folder"
      return
    fi
  done
  return 1
}
