#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
#
# Starts sbt. Uses the sbt on the PATH; without one, Maven fetches the sbt launcher into a cache, once.
# SBT_OPTS is honoured and comes last, so it overrides the limits below; arguments -D..., -X... and -J...
# go to the JVM, all others to sbt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

limits="-Xms1g -Xmx2g -Xss8m -XX:+UseParallelGC -Dfile.encoding=UTF-8"

on_path="$(command -v sbt || true)"
if [[ -n "$on_path" && ! "$on_path" -ef ./sbt ]]; then
  export SBT_OPTS="$limits ${SBT_OPTS:-}"
  exec "$on_path" "$@"
fi

version="$(sed -n 's/^sbt.version=//p' project/build.properties)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/pyspark-lance/sbt-launch"
launcher="$cache/sbt-launch-$version.jar"

if [[ ! -s "$launcher" ]]; then
  command -v mvn > /dev/null || { echo "sbt: needs either sbt or Maven (mvn) on the PATH" >&2; exit 1; }
  mkdir -p "$cache"
  part="$(mktemp -d "$cache/part.XXXXXX")"
  trap 'rm -rf "$part"' EXIT
  mvn -q -B dependency:get -Dartifact="org.scala-sbt:sbt-launch:$version:jar" -Dtransitive=false >&2
  mvn -q -B dependency:copy -Dartifact="org.scala-sbt:sbt-launch:$version:jar" -DoutputDirectory="$part" >&2
  mv "$part/sbt-launch-$version.jar" "$launcher"
  rm -rf "$part"
  trap - EXIT
fi

java="java"
[[ -n "${JAVA_HOME:-}" ]] && java="$JAVA_HOME/bin/java"

jvm=()
args=()
for arg in "$@"; do
  case "$arg" in
    -D* | -X*) jvm+=("$arg") ;;
    -J*) jvm+=("${arg#-J}") ;;
    *) args+=("$arg") ;;
  esac
done

# shellcheck disable=SC2086  # both lists of options are meant to be split into words
exec "$java" $limits ${SBT_OPTS:-} ${jvm[@]+"${jvm[@]}"} -jar "$launcher" ${args[@]+"${args[@]}"}
