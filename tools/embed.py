#!/usr/bin/env python3
"""embed.py NAME IN OUT: a file as a C array of its bytes, and a NUL behind them."""
import sys

name, source, target = sys.argv[1:]
data = open(source, 'rb').read() + b'\0'
with open(target, 'w') as out:
    out.write(f'/* Made by the build. */\nextern const char {name}[];\nconst char {name}[] = {{\n')
    for at in range(0, len(data), 16):
        out.write(','.join(str(byte) for byte in data[at:at + 16]) + ',\n')
    out.write('};\n')
