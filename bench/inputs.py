"""The traces that comparisons use: generated ones, and the large real ones beside the project
(../shared/data/bench, or $POLYTRACE_SHARED) if available. They are created once in bench-data of a build."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data', 'bench')


class Inputs:
    """The traces of a build."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.folder = os.path.join(self.build, 'bench-data')
        self.program = os.path.join(self.build, 'src', 'polytrace')
        os.makedirs(self.folder, exist_ok=True)

    def create(self, name, *command):
        """The path of a command's output, created if absent."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path + '.part', 'wb') as output:
                subprocess.run(command, stdout=output, check=True)
            os.replace(path + '.part', path)
        return path

    def generated(self, kind, records, generator='generate'):
        """A trace of records, or lines, of a format."""
        return self.create(f'{records}.{kind}', os.path.join(self.build, 'bench', generator), kind, str(records))

    def real(self, name):
        """An unpacked real trace, or None."""
        packed = os.path.join(SHARED, name + '.zst')
        return self.create(name, 'zstd', '-q', '-d', '--long=27', '-c', packed) if os.path.exists(packed) else None

    def packed(self, path):
        """A trace in the packed format."""
        return self.create(os.path.basename(path) + '.ptz', self.program, 'pack', '-o', '-', '--force', path)

    def joined(self, path, count):
        """A trace, one time after the other."""
        ending = os.path.splitext(path)[1]
        # A stream of AIX events has no head.
        options = ['--from=aix'] if ending == '.aix' else []
        return self.create(f'{os.path.basename(path)[:-len(ending)]}_{count}{ending}',
                           self.program, 'join', *options, '-o', '-', '--force', *[path] * count)
