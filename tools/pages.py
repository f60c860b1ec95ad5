#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages of the library, in mdoc, from the comments of the public headers.

    pages.py --list INCLUDE             prints the names of the pages
    pages.py INCLUDE TEMPLATE FOLDER    writes the pages into a folder

A header reader.h has the page polytrace-reader(3); TEMPLATE is that of libpolytrace(3), in which
a line "@reader@" stands for the header's item of a list, and "@rest@" for all other headers.
"""
import glob
import os
import re
import sys

COMMENT = re.compile(r'/\*(.*?)\*/', re.S)
TOP_COMMENT = re.compile(r'^/\*.*?\*/', re.S | re.M)
# Lines that declare nothing: directives other than definitions, and the braces of C++.
PLAIN = re.compile(r'#(?!define (?:POLY|ARROW_FLAG)_)|extern "C"|}$|POLYTRACE_\w+_H$')
GUARD = re.compile(r'#define POLY(TRACE_\w+_H|_API)\b')


class Header:
    """A public header: its own comment, and its declarations with theirs."""

    def __init__(self, path):
        self.file = os.path.basename(path)
        self.name = 'polytrace-' + self.file[:-2].replace('_', '-')
        text = re.sub(r'^/\* SPDX.*\*/\n', '', open(path).read())
        first = TOP_COMMENT.match(text)
        self.comment = body_of(first[0])
        self.declarations = list(declarations(text[first.end():]))
        self.functions = [Function(comment, code) for comment, code in self.declarations
                          if code.startswith(('POLY_API', 'static inline'))]

    def summary(self):
        """The first sentence of the header, as a phrase."""
        text = ' '.join(self.comment.split())
        sentence = re.split(r'\.(?:\s|$)', text, maxsplit=1)[0]
        if len(sentence.split(': ')[0].split()) > 3:
            sentence = sentence.split(': ')[0]
        word = sentence.split()[0]
        return sentence if word[1:] != word[1:].lower() else sentence[0].lower() + sentence[1:]


class Function:
    """A function: its comment, result, name and parameters."""

    def __init__(self, comment, code):
        prototype = ' '.join(re.sub(r'{.*', '', code, flags=re.S).split()).rstrip(';')
        found = re.match(r'(?:POLY_API|static inline) (.*?)(\w+)\((.*)\)', prototype)
        self.comment, self.result, self.name = comment, found[1].strip(), found[2]
        self.parameters = [] if found[3] == 'void' else split_parameters(found[3])


def split_parameters(text):
    """Parameters of a prototype, divided at the commas outside of parentheses."""
    return [part.strip() for part in re.split(r',(?![^(]*\))', text)]


def name_of(parameter):
    """The name of a parameter."""
    return (re.search(r'\(\*(\w+)\)', parameter) or re.search(r'(\w+)(?:\[\w*\])*$', parameter))[1]


def body_of(comment):
    """The text of a comment, without its stars."""
    lines = COMMENT.match(comment)[1].split('\n')
    return '\n'.join(re.sub(r'^\s*\* ?', '', line).rstrip() for line in lines).strip('\n').strip()


def declarations(text):
    """Comments at the margin with the code that follows each, up to its end."""
    comment, code = '', ''
    for line in re.split(r'\n', TOP_COMMENT.sub(lambda m: m[0].replace('\n', '\v'), text)):
        if line.startswith('/*') and not code:
            comment = body_of(line.replace('\v', '\n'))
            continue
        if not code and (not line.strip() or PLAIN.match(line) or GUARD.match(line)):
            continue
        code += line + '\n'
        bare = re.sub(r'/\*.*?(\*/|$)', '', line).rstrip()
        if is_complete(code, bare):
            if comment:
                yield comment, code.rstrip()
            code = ''


def is_complete(code, line):
    """Whether a declaration ends with its last line."""
    if code.startswith('#'):
        return not line.endswith('\\')
    if re.match(r'(struct|enum) \w+ {', code):
        return line == '};'
    return line == '}' if code.startswith('static inline') else line.endswith(';')


def escaped(line):
    """A line of text without characters that roff interprets."""
    return guarded(line.replace('\\', '\\e'))


def guarded(line):
    """A line that roff does not take for a request."""
    return '\\&' + line if line.startswith(('.', "'")) else line


def sentences(paragraph):
    """Lines of mdoc: a sentence each, references to pages by themselves."""
    text = ' '.join(paragraph.split()).replace('\\', '\\e')
    text = re.sub(r'(?<=[\w)\]"][\w)\]"][.!?]) (?=[A-Z*"])', '\n', text)
    text = re.sub(r'\s*\b((?:lib)?polytrace[\w-]*)\((\d)\)(\S*)\s*',
                  lambda m: f'\n.Xr {m[1]} {m[2]}' + (f' {m[3]}' if m[3] else '') + '\n', text)
    return [guarded(line.strip()) if not line.startswith('.Xr') else line
            for line in text.strip('\n').split('\n')]


def literal(code):
    """Code as it stands."""
    lines = [escaped(line.expandtabs(8)) for line in code.split('\n')]
    return ['.Bd -literal -offset 2n', *lines, '.Ed']


def prose(text):
    """Paragraphs of a comment; indented ones are code."""
    result = []
    for block in re.split(r'\n\s*\n', text):
        is_code = all(line.startswith('    ') for line in block.split('\n'))
        for item in ([block] if is_code else re.split(r'\n(?=\s*- )', block)):
            lines = literal(re.sub(r'^    ', '', item, flags=re.M)) if is_code else sentences(item)
            if result and not is_code:
                result.append('.Pp')
            result += lines
    return result


def synopsis(function):
    """The prototype of a function."""
    return [f'.Ft {function.result}', f'.Fo {function.name}',
            *(f'.Fa "{parameter}"' for parameter in function.parameters or ['void']), '.Fc']


def page(header, date):
    """The manual page of a header."""
    names = [function.name for function in header.functions]
    lines = ['.\\" SPDX-License-Identifier: MIT', date, f'.Dt {header.name.upper()} 3', '.Os',
             '.Sh NAME', *(f'.Nm {name} ,' for name in [header.name, *names][:-1]),
             f'.Nm {[header.name, *names][-1]}', f'.Nd {header.summary()}',
             '.Sh LIBRARY', 'libpolytrace (-lpolytrace)',
             '.Sh SYNOPSIS', f'.In polytrace/{header.file}']
    for function in header.functions:
        lines += synopsis(function)
    lines += ['.Sh DESCRIPTION', *prose(header.comment)]
    types = [(comment, code) for comment, code in header.declarations
             if not code.startswith(('POLY_API', 'static inline'))]
    if types:
        lines.append('.Sh TYPES AND CONSTANTS')
    for number, (comment, code) in enumerate(types):
        lines += (['.Pp'] if number else []) + prose(comment) + literal(code)
    if header.functions:
        lines += ['.Sh FUNCTIONS', '.Bl -tag -width Ds']
        for function in header.functions:
            arguments = ''.join(f' "{name_of(parameter)}"' for parameter in function.parameters)
            lines += [f'.It Fn {function.name}{arguments}', *prose(function.comment)]
        lines.append('.El')
    lines += ['.Sh SEE ALSO', '.Xr polytrace 1 ,', '.Xr libpolytrace 3']
    return '\n'.join(lines) + '\n'


def items(template, headers):
    """The template of libpolytrace(3), with the items of headers in place of their names."""
    found = {header.file[:-2]: f'.It Xr {header.name} 3\n{header.summary()}' for header in headers}
    named = set(re.findall(r'^@(\w+)@$', template, re.M))
    found['rest'] = '\n'.join(item for name, item in found.items() if name not in named)
    return re.sub(r'^@(\w+)@$', lambda match: found[match[1]], template, flags=re.M)


def main():
    """Lists or writes the pages."""
    include = sys.argv[2] if sys.argv[1] == '--list' else sys.argv[1]
    headers = [Header(path) for path in sorted(glob.glob(include + '/polytrace/*.h'))
               if not path.endswith('/polytrace.h')]
    if sys.argv[1] == '--list':
        print('\n'.join(header.name + '.3' for header in headers))
        return
    template = open(sys.argv[2]).read()
    date = re.search(r'^\.Dd .*$', template, re.M)[0]
    pages = {header.name: page(header, date) for header in headers}
    pages['libpolytrace'] = items(template, headers)
    for name, text in pages.items():
        with open(os.path.join(sys.argv[3], name + '.3'), 'w') as file:
            file.write(text)


main()
