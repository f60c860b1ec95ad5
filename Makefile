# A thin front for meson: the two commands that do everything are `make run` and `make test`.
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

test: setup
	python3 tools/test.py

# Everything that is slow by nature: all repetitive cases under the sanitizers, fuzzing for minutes.
test-long: setup
	python3 tools/test.py --long

asan: setup
	python3 tools/test.py asan

tsan: setup
	python3 tools/test.py tsan

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
	@tools/setup build test look
	@tools/npm/install

clean:
	rm -rf build build-*

.PHONY: all build run test test-long asan tsan fuzz bench install dist setup clean
