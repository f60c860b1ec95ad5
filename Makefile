# A thin front for meson; `make run` and `make test` install what they need.
.POSIX:
TRACE = tests/data/amber/memset_thread_001.tt6e
POLYTRACE = build/src/polytrace

all: build

build:
	@tools/setup build
	@test -f build/build.ninja || meson setup build >build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	ninja -C build

run: build
	$(POLYTRACE) info $(TRACE)
	$(POLYTRACE) view --count 12 $(TRACE)
	$(POLYTRACE) check $(TRACE)

# The plain build: what a change needs.
test:
	@tools/setup build test
	python3 tools/test.py plain

# That, the slow tests, and the sanitizers.
check: setup
	python3 tools/test.py

# Everything that is slow by nature: all repetitive cases, fuzzing for minutes.
check-all: setup
	python3 tools/test.py --all

fuzz: setup
	python3 tools/fuzz.py

bench: build
	python3 bench/bench.py build

# Never installs packages and never builds as root: 'make' comes first.
install:
	@test -f build/build.ninja || { echo "install: nothing is built; run 'make' first" >&2; exit 2; }
	meson install -C build --no-rebuild

dist: build
	meson dist -C build --no-tests

setup:
	@tools/setup build test check
	@tools/npm/install

clean:
	rm -rf build build-*

.PHONY: all build run test check check-all fuzz bench install dist setup clean
