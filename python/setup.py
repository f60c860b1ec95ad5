# SPDX-License-Identifier: MIT
"""Builds the extension of the package, by the libpolytrace that pkg-config finds.

PKG_CONFIG_PATH names another one: the folder meson-uninstalled of a build, or the folder of an
installed polytrace.pc.
"""
import glob
import subprocess

from setuptools import Extension, setup


def pkg_config(*words):
    """Words that pkg-config prints about the library."""
    return subprocess.run(['pkg-config', *words, 'polytrace'], check=True, capture_output=True,
                          text=True).stdout.split()


# Folders that are not the system's are searched when the module is loaded, too.
folders = [word[2:] for word in pkg_config('--libs-only-L')]
native = Extension(
    'polytrace._native',
    sources=sorted(glob.glob('native/*.c')),
    depends=['native/native.h'],
    py_limited_api=True,
    extra_compile_args=['-std=c17', '-fvisibility=hidden', *pkg_config('--cflags')],
    extra_link_args=[*pkg_config('--libs'), *(f'-Wl,-rpath,{folder}' for folder in folders)])
setup(version=pkg_config('--modversion')[0], ext_modules=[native],
      options={'bdist_wheel': {'py_limited_api': 'cp311'}})
