"""How the tests build the Python package."""
import functools
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import needs  # noqa: E402

ROOT = os.environ['POLYTRACE_ROOT']
# Another interpreter may come first in PATH, without the packages of the system.
PYTHON = '/usr/bin/python3'
MODULES = '''import importlib.util, os, sys, sysconfig
assert sys.version_info >= (3, 11)
print(*(name for name in ("setuptools", "pip", "wheel", "numpy", "pandas") if not importlib.util.find_spec(name)),
      *() if os.path.exists(sysconfig.get_config_var("INCLUDEPY") + "/Python.h") else ("dev",))'''


@functools.cache
def lacking():
    """Why tests of the package are skipped: what the system's Python lacks to build and test it; '': nothing."""
    if not os.path.exists(PYTHON):
        return needs.reason('python3')
    found = subprocess.run([PYTHON, '-c', MODULES], capture_output=True, text=True, check=False)
    if found.returncode:
        return 'needs Python 3.11'
    return needs.reason(*('python3-' + name for name in found.stdout.split())) if found.stdout.split() else ''


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
