# Sourced by the scripts beside it: where things are, how Compose is called, and how to say things. Changes into the root of the checkout.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'compose: %s\n' "$*"; }
fail() {
  printf 'compose: %s\n' "$*" >&2
  exit 1
}

port_offset=${PORT_OFFSET:-0}
[[ $port_offset =~ ^[0-9]{1,5}$ && $port_offset -le 56071 ]] || fail "PORT_OFFSET is '$port_offset': give a whole number from 0 to 56071."
project=tocsin
[ "$port_offset" = 0 ] || project=tocsin-$port_offset
# Secrets, and what `up` settled; volumes with the data are Docker's.
state=$PWD/.tocsin/compose-$port_offset
# Yours: KAFKA_HOST, UPSTREAM, heaps, image names.
if [ -e "$state/site.env" ]; then
  set -a
  # shellcheck source=/dev/null
  . "$state/site.env"
  set +a
fi

command -v docker >/dev/null || fail "docker is not installed: get Docker Engine 20.10 or newer with its Compose plugin (https://docs.docker.com/engine/install; Debian: apt-get install docker.io docker-compose)."
docker version >/dev/null 2>&1 ||
  fail "no Docker daemon answers at ${DOCKER_HOST:-unix:///var/run/docker.sock}: start it (systemctl start docker), become a member of group docker, or set DOCKER_HOST."
if docker compose version >/dev/null 2>&1; then
  program=(docker compose)
elif command -v docker-compose >/dev/null; then
  program=(docker-compose)
else
  fail "Docker has no Compose: install its plugin (docker-compose-plugin of Docker, or Debian's docker-compose)."
fi

# compose ARGUMENTS...: Docker's Compose on this installation.
compose() {
  local files=(--file deploy/compose/compose.yaml)
  [ "${UPSTREAM:-0}" != 1 ] || files+=(--file deploy/compose/upstream.yaml)
  COMPOSE_PROFILES=$([ "${GRAFANA:-0}" != 1 ] || echo grafana) \
    "${program[@]}" --project-name "$project" --project-directory deploy/compose --env-file "$state/env" "${files[@]}" "$@"
}
