"""DuckDB and other readers of Parquet, by packages of npm that tools/npm/install installs."""
import hashlib
import json
import os
import shutil
import subprocess

import needs

ROOT = os.environ['POLYTRACE_ROOT']


def modules():
    """The folder of the packages."""
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.environ.get('HOME', '/tmp'), '.cache')
    with open(os.path.join(ROOT, 'tools', 'npm', 'package-lock.json'), 'rb') as lock:
        name = 'npm-' + hashlib.sha256(lock.read()).hexdigest()[:16]
    return os.path.join(cache, 'polytrace', name, 'node_modules')


def missing():
    """Why the readers cannot run; '': they can."""
    return needs.lacking('node', 'npm') or needs.lacking_file(modules(), 'npm:duckdb')


def prepare(folder):
    """Makes a folder from which readers.mjs runs."""
    os.symlink(modules(), os.path.join(folder, 'node_modules'))
    shutil.copy(os.path.join(ROOT, 'tests', 'parquet', 'readers.mjs'), folder)


def query(folder, *queries):
    """Answers of DuckDB: rows of texts."""
    done = subprocess.run(['node', os.path.join(folder, 'readers.mjs'), 'query'], input='\n'.join(queries), text=True,
                          capture_output=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return [json.loads(line) for line in done.stdout.splitlines()]
