# Short names for the commands in CONTRIBUTING.md. CI runs `mvn verify` and nothing else.

.DEFAULT_GOAL := help
.PHONY: help check test run bench faults format dist install

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

check: ## format, lints, all tests: what CI runs
	mvn -B -ntp verify

test: ## the server's tests; one class with T=RetryTest
	mvn -B -ntp -pl server -am test $(if $(T),-Dtest=$(T) -Dsurefire.failIfNoSpecifiedTests=false)

run: ## the server in the foreground
	bin/sluice serve

bench: ## a measurement; S=relay, ingest, crash, isolation or fuzz
	bench/run $(or $(S),relay)

faults: ## a fault test; N=1, 4 …, short or all
	bench/faults $(or $(N),short)

dist: ## the folder, archive, Debian package and image, in dist/target
	mvn -B -ntp -q -DskipTests -Pdist package

install: ## test what `make dist` made, as a user would install it; as root. SUITE=trixie
	dist/check-all $(or $(SUITE),bookworm)

format: ## correct the format of all Java files
	mvn -B -ntp -q -N validate -Dformat=fix
