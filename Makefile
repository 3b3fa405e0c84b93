# Tocsin's commands. What they do is in deploy/embedded/bin/, one script a target.
bin := deploy/embedded/bin
export PORT_OFFSET ONCE GRAFANA SECURE STATE_BACKEND PARALLELISM CLUSTER TOOLS ONLY SKIP ALL SCENARIO ROWS KEEP MESSAGES TURNS BESIDE CASES RATE RATES DURATION AWAY STORIES BEFORE

.PHONY: help demo test check drills up down play watch bench bench-pipeline bench-cost bench-history bench-grep screenshots fuzz lint fmt build clean
.DEFAULT_GOAL := help

help: ## list these commands
	@echo 'make COMMAND [PORT_OFFSET=n: moves every port, own state]'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 17

demo: ## build, start a fresh stack, play a fault, show what was found; stay until Ctrl-C (ONCE=1: end, exit code tells)
	@$(bin)/demo

up: ## start the stack in the background and return when it is ready (GRAFANA=1: with Grafana; SECURE=1: TLS and logins at Kafka)
	@$(bin)/up

down: ## stop the stack; its state stays
	@$(bin)/down

play: ## play a scenario on the stack that is up, and say what was expected and found (SCENARIO=wan-spike; without it, list them)
	@$(bin)/play

watch: ## bring each change of the sources into the stack that is up: build it, start that part alone again
	@$(bin)/watch

check: ## formatters, linters, unit and structure tests of the parts changed since their last green check (ALL=1: of all)
	@$(bin)/check

test: ## every test of every language (ONLY="rust java": these stages; SKIP="drills labs": not these)
	@$(bin)/test

drills: ## kill Flink, ClickHouse and Kafka under load, and compare what is stored (RATE=20000 messages a second, DURATION=30 s each, AWAY=900 s without ClickHouse; STORIES=10 of jobs that die at random; CLUSTER=1: the parts of a cluster instead, then more and fewer instances, then an upgrade from the checkout BEFORE, then the loss of Kafka, then every scenario; PACKAGES=1: restart, reload, upgrade and downgrade of the agent under load)
	@$(bin)/drills

bench: ## benchmarks (ONLY=ingest: the agent beside rsyslog, from socket to acknowledgement; of rules, jobs, parts, capture, ingest)
	@$(bin)/bench

bench-pipeline: ## time from datagram to alert, page and row (RATE=10000, DURATION=60, RUNS=1); archiving beside ClickHouse's Kafka engine (ROWS=1000000); ONLY=hot-key: one device that says half of everything
	@$(bin)/bench-pipeline

bench-cost: ## what an event costs in CPU, bytes and memory, beside rsyslog and ClickHouse's Kafka engine (RATES=20000,10000,5000,0; DURATION=30); ONLY=growth: beside more devices, open alerts and rows (ROWS=10000000,100000000); ONLY=sustained: whether RATES=60000 holds
	@$(bin)/bench-cost

bench-history: ## time and rows read of every dashboard and question over 30 days (ROWS=100000000)
	@$(bin)/bench-history

bench-grep: ## searches for words against grep and ripgrep over the same lines (ROWS=460000)
	@$(bin)/bench-history grep

screenshots: ## pictures of the dashboards, wide and for a phone (GRAFANA_URL=http://127.0.0.1:3000; GRAFANA_TOKEN, ONLY='wan syslog')
	@GRAFANA_URL='$(GRAFANA_URL)' GRAFANA_TOKEN='$(GRAFANA_TOKEN)' ONLY='$(ONLY)' node grafana/screenshots/take.mjs

fuzz: ## fuzz every parser (SECONDS=n: so long each, 60; KEEP=1: keep what reaches new code)
	@SECONDS_EACH='$(SECONDS)' $(bin)/fuzz

lint: ## formatters and linters, without changing anything
	@$(bin)/lint

fmt: ## let the formatters change what they can
	@$(bin)/fmt

build: ## build everything that the stack runs
	@$(bin)/build

clean: ## remove what stacks have stored under .tocsin/ (TOOLS=1: the fetched tools too)
	@$(bin)/clean
