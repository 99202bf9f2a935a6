# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
#
# Build, test, and release targets. Each target installs its requirements, except Java 17, Maven (or
# sbt), and Python 3.10+.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VERSION := $(shell cat version.txt)
PRIMARY := 4.1
jar_of = target/scala-$(lastword $(subst _, ,$(1)))/pyspark-lance-$(1)-$(VERSION).jar
ALL_LINES := $(shell scripts/spark-line)
JARS := $(foreach line,$(ALL_LINES),$(call jar_of,$(line)))
JAR := $(call jar_of,$(shell scripts/spark-line $(or $(LINE),$(PRIMARY)) artifact))
TOUR_LINE := $(or $(LINE),$(lastword $(ALL_LINES)))
TOUR_JAR := $(call jar_of,$(shell scripts/spark-line $(TOUR_LINE) artifact))
WHEEL := python/dist/pyspark_lance-$(VERSION)-py3-none-any.whl
EXAMPLES := tpch_etl text_vectors hybrid_search images
VENV := .venv
VENV_READY := $(VENV)/ready
PYTHON := PYTHONPATH=python $(VENV)/bin/python
ON_LINE := scripts/on-line $(TOUR_LINE) $(VENV)/bin/python

JAR_SOURCES := $(shell find src/main project/*.* build.sbt version.txt LICENSE NOTICE -type f)
WHEEL_SOURCES := $(shell find python/pyspark_lance -name __pycache__ -prune -o -name jars -prune -o -type f -print) \
  python/pyproject.toml python/hatch_build.py python/README.md

.PHONY: help demo examples test test-long test-lines jar wheel docs publish-local stage bench check fix clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV_READY) $(TOUR_JAR) ## run the TPC-H demo, and compare with Parquet and pylance (SF=1, LINE=4.1)
	$(ON_LINE) -m pyspark_lance demo

examples: $(VENV_READY) $(TOUR_JAR) ## run the scripts of examples/ (ONLY=images for one)
	@for name in $(or $(ONLY),$(EXAMPLES)); do echo "== $$name"; $(ON_LINE) examples/$$name.py; done

test: $(VENV_READY) ## run all Scala and Python tests
	@scripts/run-tests

test-long: $(VENV_READY) ## run all tests, also slow ones, in parts; continues an interrupted run (PART=storm)
	@scripts/long-tests $(PART)

test-lines: $(VENV_READY) $(JARS) ## run all tests on each Spark version (LINE=4.3 for one)
	@scripts/test-lines all $(LINE)

jar: $(JAR) ## build the jar for Spark 4.1 in target/scala-2.13/ (LINE=4.3 for another Spark version)

wheel: $(WHEEL) ## build the Python package with all jars in python/dist/

docs: $(VENV_READY) ## build the site of docs/ in target/site/
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict

publish-local: ## install the jars and POMs in the local Maven repository for --packages (LINE=4.3 for one)
	./sbt $(if $(LINE),$(shell scripts/spark-line $(LINE) project)/publishM2,"onLines publishM2")

stage: $(VENV_READY) ## build a release from scratch in target/sona-staging/ and python/dist/, and check it
	$(MAKE) --no-print-directory clean
	$(MAKE) --no-print-directory wheel
	PYSPARK_LANCE_RELEASE=1 ./sbt "onLines publish"
	$(VENV)/bin/python -m build --sdist --no-isolation --outdir python/dist python
	$(VENV)/bin/python scripts/check-release

bench: $(VENV_READY) ## run the benchmarks; continues an interrupted run; results in benchmarks/results/
	@scripts/run-benchmarks

check: $(VENV_READY) ## check formatting, lint, and prose
	scripts/check-prose
	./sbt check
	$(VENV)/bin/ruff check python examples
	$(VENV)/bin/ruff format --check python examples
	cd python && ../$(VENV)/bin/mypy
	cd python && ../$(VENV)/bin/basedpyright --pythonpath ../$(VENV)/bin/python

fix: $(VENV_READY) ## format, and fix what the linters can
	./sbt lint
	$(VENV)/bin/ruff check --fix python examples
	$(VENV)/bin/ruff format python examples

clean: ## remove all build output except the virtual environment
	rm -rf target project/target project/project benchmarks/target storage-tests/target \
	  conformance-tests/target python/dist python/build

$(JARS): $(JAR_SOURCES)
	./sbt $$(scripts/spark-line $(word 3,$(subst -, ,$(@F))) project)/assembly
	@touch $@

$(WHEEL): $(JARS) $(WHEEL_SOURCES) | $(VENV_READY)
	rm -rf python/dist
	$(VENV)/bin/python -m build --wheel --no-isolation --outdir python/dist python

$(VENV_READY): python/requirements-dev.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet -r python/requirements-dev.txt
	@touch $@
