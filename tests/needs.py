"""Programs and files of other packages: a test that needs one that is missing is skipped, with the name of the
Debian package. tools/test.py counts these tests by package. Libraries, as meson_options.txt names them: a test of
what a build lacks is skipped with their names."""
import os
import re
import shutil
import sys

# Packages that are not named after their program.
PACKAGES = {'chromedriver': 'chromium-driver', 'ctags': 'universal-ctags', 'groff': 'groff-base', 'mpirun': 'openmpi-bin',
            'node': 'nodejs', 'objdump': 'binutils', 'pgrep': 'procps'}
# Libraries that the build lacks.
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
RULES = [(r'(\S+)-gcc', r'gcc-\1'), (r'(\S+)-(?:as|objcopy|objdump)', r'binutils-\1'), (r'qemu-.*', 'qemu-user')]


def package(program):
    """The package of a program."""
    for pattern, name in RULES:
        match = re.fullmatch(pattern, program)
        if match:
            return match.expand(name).replace('_', '-')
    return PACKAGES.get(program, program)


def reason(*packages):
    """Why a test is skipped."""
    return 'needs the package ' + ' '.join(packages)


def lacking(*programs):
    """Why a test that needs programs is skipped: their packages; '': none is missing."""
    missing = dict.fromkeys(package(program) for program in programs if not shutil.which(program))
    return reason(*missing) if missing else ''


def lacking_file(path, name):
    """The same of a file of a package."""
    return '' if os.path.exists(path) else reason(name)


def without(*libraries):
    """Why a test that needs libraries is skipped; '': the build lacks none of them."""
    missing = ' '.join(name for name in libraries if name in LACKS)
    return missing and 'the build lacks ' + missing


def reader_of(path):
    """The library that reads a file, by its ending; '': none."""
    endings = {'.gz': 'isal', '.jsonl': 'jansson', '.ptz': 'xxhash'}
    return endings.get(os.path.splitext(path)[1], '')


def unsupported(message):
    """Why a test is skipped whose command failed by this message in bytes; '': not for a library that the build lacks."""
    found = re.search(r"[^:]* requires a library that this build lacks.*", message.decode(errors='replace'))
    return found[0].strip() if LACKS and found else ''


def libraries(*names):
    """Skips all tests of a program, before its plan, if the build lacks a library that they need."""
    if without(*names):
        print(f'1..0 # SKIP {without(*names)}')
        sys.exit()
