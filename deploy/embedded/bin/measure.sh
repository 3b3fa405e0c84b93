# Sourced after environment.sh by benchmarks of the whole pipeline: builds what they run, and runs them.
# shellcheck shell=bash
deploy/embedded/bin/build
class_path=$(mktemp)
trap 'rm -f "$class_path"' EXIT
mvn --batch-mode -q -pl integration-tests -am test-compile dependency:build-classpath -Dmdep.includeScope=test "-Dmdep.outputFile=$class_path"

# measure CLASS ARGUMENT...
measure() {
  java -Xmx512m -XX:+UseSerialGC -Dlog4j2.configurationFile=tocsin-supervisor-log4j2.properties \
    -cp "integration-tests/target/test-classes:$(cat "$class_path")" "io.tocsin.integration.$1" "${@:2}"
}
