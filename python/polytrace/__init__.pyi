import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy
import pandas

__version__: str

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Item = int | bool | str | bytes | None
_Options = Mapping[str, object]

class Error(Exception):
    file: str | None
    status: Literal['usage', 'io', 'format', 'limit', 'unsupported', 'loss', 'cancelled', 'truncated', 'unknown']
    message: str
    record: int | None
    line: int | None
    byte: int | None
    errno: int

class UsageError(Error, ValueError): ...
class LossWarning(UserWarning): ...

class Column(Sequence[_Item]):
    @property
    def nulls(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def validity(self) -> memoryview | None: ...
    @property
    def dictionary(self) -> tuple[str, ...] | None: ...
    @property
    def bytes(self) -> memoryview | None: ...
    @property
    def valid(self) -> numpy.ndarray[Any, numpy.dtype[numpy.bool_]]: ...
    @property
    def codes(self) -> numpy.ndarray[Any, numpy.dtype[numpy.int32]]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, row: SupportsIndex) -> _Item: ...  # type: ignore[override]
    def __buffer__(self, flags: int) -> memoryview: ...
    def numpy(self) -> numpy.ndarray[Any, Any]: ...
    def pandas(self) -> pandas.Series: ...

class Batch(Mapping[str, Column]):
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Column: ...
    def __iter__(self) -> Iterator[str]: ...
    def numpy(self) -> dict[str, numpy.ndarray[Any, Any]]: ...
    def pandas(self) -> pandas.DataFrame: ...

class Trace(Iterator[Batch]):
    @property
    def file(self) -> str: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def __next__(self) -> Batch: ...
    def __enter__(self) -> Trace: ...
    def __exit__(self, *failure: object) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def close(self) -> None: ...
    def numpy(self, masked: bool = False) -> dict[str, numpy.ndarray[Any, Any]]: ...
    def pandas(self) -> pandas.DataFrame: ...

class Difference(NamedTuple):
    cause: str
    subject: str
    values: tuple[str | None, str | None]
    instruction: tuple[int, int]
    record: tuple[int, int]
    matching: int
    run: tuple[int, int]
    ends: bool
    cpu: int | None

def open(
    path: _Path,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    range: range | str | None = None,
    *,
    rows: int = 16384,
    format: str | None = None,
    options: _Options | None = None,
    isa: str | None = None,
    threads: int = 0,
    strict: bool = False,
    skip_errors: bool = False,
    partial: bool = False,
) -> Trace: ...
def stats(
    path: _Path,
    analyses: Sequence[str] | None = None,
    *,
    all: bool = False,
    warmup: int = 0,
    symbols: _Path | None = None,
    parameters: _Options | None = None,
    where: str | None = None,
    range: range | str | None = None,
    format: str | None = None,
    options: _Options | None = None,
    isa: str | None = None,
    threads: int = 0,
    strict: bool = False,
    skip_errors: bool = False,
    partial: bool = False,
) -> dict[str, Any]: ...
def sim(path: _Path, simulator: str, *, warmup: int = 0, **words: Any) -> dict[str, Any]: ...
def calls(path: _Path, *, symbols: _Path | None = None, **words: Any) -> dict[str, Any]: ...
def diff(
    a: _Path,
    b: _Path,
    *,
    ignore: Sequence[str] = (),
    also: Sequence[str] = (),
    aliases: Sequence[str] = (),
    tolerate: Sequence[str] = (),
    window: int = 1,
    resync: int = 4096,
    ordered: bool = False,
    each_cpu: bool = False,
    **reading: Any,
) -> Iterator[Difference]: ...
def write(
    path: _Path,
    columns: Mapping[str, Any],
    *,
    format: str | None = None,
    isa: str | None = None,
    address_bits: int = 0,
    addresses: Literal['virtual', 'physical'] | None = None,
    clock: str | None = None,
    producer: str | None = None,
    labels: _Options | None = None,
    options: _Options | None = None,
    overwrite: bool = False,
) -> None: ...
