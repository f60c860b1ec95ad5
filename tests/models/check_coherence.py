#!/usr/bin/env python3
"""Compares coherent caches with a model, as TAP: check_coherence.py DRIVE"""
from coherence import model
from streams import drive, first_difference, local, report, some, uniform


def modelled(stream, **shape):
    """The model, as the driver prints it."""
    outcomes, counts, lines = model(stream, **shape)
    out = [f'{outcome} {taken}' for outcome, taken in outcomes]
    out += ['thread ' + ' '.join(map(str, one)) for one in counts]
    for address, true, false, taken, who in lines:
        out.append(f'line {address:x} {true} {false} {taken} '
                   f'{sum(1 << thread for thread in who):x}')
    return out


def faults():
    for threads in 1, 2, 5, 64:
        streams = [uniform(31, 4000, 1 << 8, threads), uniform(32, 3000, 1 << 12, threads),
                   local(33, 4000, threads)]
        for number, stream in enumerate(streams):
            for sets, ways, line, word in some([(4, 2, 32, 4), (16, 8, 64, 1), (1, 3, 256, 8)]):
                shape = {'sets': sets, 'ways': ways, 'line': line, 'word': word,
                         'threads': threads}
                fault = first_difference(drive('coherence', stream, **shape),
                                         modelled(stream, **shape))
                if fault:
                    yield f'stream {number}, {shape}: {fault}'


report([('coherent_caches_agree_with_the_model', faults)])
