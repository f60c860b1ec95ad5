"""How the tests build the Python package."""
import os
import subprocess

ROOT = os.environ['POLYTRACE_ROOT']
# Another interpreter may come first in PATH, without the packages of the system.
PYTHON = '/usr/bin/python3'
NEEDS = '''import sys, sysconfig, os, setuptools, pip, wheel, numpy, pandas
assert sys.version_info >= (3, 11) and os.path.exists(sysconfig.get_config_var("INCLUDEPY") + "/Python.h")'''
MISSING = 'the packages python3-{dev,pip,setuptools,wheel,numpy,pandas} are missing'


def is_possible():
    """Whether the system's Python has what the package is built and tested with."""
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, '-c', NEEDS], capture_output=True, check=False).returncode == 0


def environment(top, library, sanitizers):
    """The variables to build the extension with: the library of the build folder, and its sanitizers."""
    version = [line.split()[-1] for line in open(os.path.join(ROOT, 'include', 'polytrace', 'version.h'))
               if line.startswith('#define POLY_VERSION_')]
    with open(os.path.join(top, 'polytrace.pc'), 'w') as file:
        file.write(f'Name: polytrace\nDescription: -\nVersion: {".".join(version)}\n'
                   f'Cflags: -I{ROOT}/include\nLibs: -L{os.path.dirname(library)} -lpolytrace\n')
    result = dict(os.environ, PKG_CONFIG_PATH=top, PIP_ROOT_USER_ACTION='ignore',
                  PIP_DISABLE_PIP_VERSION_CHECK='1', PIP_NO_CACHE_DIR='1', PYTHONDONTWRITEBYTECODE='1')
    result.pop('PYTHONPATH', None)
    # Meson's, which shifts with every run.
    result.pop('MALLOC_PERTURB_', None)
    result['CFLAGS'] = '-Wall -Wextra -Werror -Wno-cast-function-type'
    if sanitizers != 'none':
        result.update(CC='clang', LDSHARED='clang -shared')
        result['CFLAGS'] += f' -g -O1 -fsanitize={sanitizers} -fno-sanitize=function -shared-libsan'
        result['LDFLAGS'] = f'-fsanitize={sanitizers} -shared-libsan'
    return result
