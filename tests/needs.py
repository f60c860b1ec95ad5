"""Programs and files of other packages: a test that needs one that is missing is skipped, with the name of the
Debian package. tools/test.py counts these tests by package."""
import os
import re
import shutil

# Packages that are not named after their program.
PACKAGES = {'chromedriver': 'chromium-driver', 'ctags': 'universal-ctags', 'groff': 'groff-base', 'mpirun': 'openmpi-bin',
            'node': 'nodejs', 'objdump': 'binutils', 'pgrep': 'procps'}
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
