#!/usr/bin/env python3
"""Reports as pages, read by Python's parsers, as TAP.

    pages.py PAGES

PAGES is the program of pages.c. The tests measure the drawings: the positions of bars, points and
tiles follow from the numbers of the same report in JSON, those of ticks from their labels.
"""
import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

WHICH = ('all', 'two', 'odd')
TEXT, JSON, HTML, TERMINAL = '0', '1', '4', '5'


def made(which, rendering, *options):
    command = [sys.argv[1], which, rendering, *options]
    return subprocess.run(command, capture_output=True, check=True).stdout


PAGES = {which: made(which, HTML) for which in WHICH}
TREES = {which: ET.fromstring(page) for which, page in PAGES.items()}
ALL = json.loads(made('all', JSON))


def classes(element):
    return element.get('class', '').split()


def figure(title):
    """The figure with a caption on the page of one trace."""
    return next(f for f in TREES['all'].iter('figure') if f.find('figcaption').text == title)


def drawing(title):
    return figure(title).find('div').find('svg')


def part(element, name):
    """An attribute in percent, as a fraction."""
    value = element.get(name, '0%')
    assert value == '0' or value.endswith('%'), value
    return float(value.rstrip('%')) / 100


def marks(svg, tag, wanted):
    return [m for m in svg.iter(tag) if wanted in classes(m)]


def number(label):
    """The number of the label of a tick."""
    if label.startswith('0x'):
        return int(label, 16)
    digits, suffix = re.fullmatch(r'(-?[\d.]+(?:e-?\d+)?)([kMGTPE]?)', label).groups()
    return float(digits) * 1000 ** ' kMGTPE'.index(suffix or ' ')


def ticks(svg, axis):
    """Numbers and positions (from the left, or from below) of the ticks of an axis."""
    group = next(g for g in svg.iter('g') if classes(g) == [axis, 'axis'])
    return [(number(t.text), part(t, 'x') if axis == 'x' else 1 - part(t, 'y'))
            for t in group.iter('text') if classes(t) == ['tick']]


def apart(pairs, scale=float):
    """The maximum distance of positions from a straight line over their numbers."""
    pairs = sorted((scale(n), place) for n, place in pairs)
    (x0, y0), (x1, y1) = pairs[0], pairs[-1]
    slope = (y1 - y0) / (x1 - x0)
    return max(abs(y0 + slope * (x - x0) - y) for x, y in pairs)


def expect(condition, *what):
    if not condition:
        raise AssertionError(' '.join(map(str, what)))


def the_same_report_is_the_same_page():
    for which in WHICH:
        expect(made(which, HTML) == PAGES[which], which)


def pages_are_self_contained():
    for which in WHICH:
        for element in TREES[which].iter():
            expect(element.tag not in ('script', 'img', 'iframe', 'object', 'image'), element.tag)
            for name, value in element.attrib.items():
                expect(not name.startswith('on'), name)
                expect(name not in ('href', 'src') or value.startswith(('#', 'data:,')), value)
        expect(not re.search(r'url\(|@import|@font-face',
                             TREES[which].find('head').find('style').text), which)


def hostile_strings_are_escaped():
    texts = ''.join(TREES['odd'].itertext())
    for text in ('<script>alert(1)</script>', '"\'><img src=x onerror=alert(1)>',
                 '</style><script>&amp;\\x01\\x1b[2J', ']]></svg><script>alert(2)</script>\ufffd',
                 '</title><script>alert(3)</script>', '<i>Name</i> (<&>)', '<b>Names</b>'):
        expect(text in texts, text)


def headings_are_in_order_and_links_have_targets():
    for which in WHICH:
        tree, level = TREES[which], 0
        ids = [e.get('id') for e in tree.iter() if e.get('id')]
        expect(len(ids) == len(set(ids)), which)
        for element in tree.iter():
            if re.fullmatch('h[1-6]', element.tag):
                expect(int(element.tag[1]) <= level + 1, ET.tostring(element))
                level = int(element.tag[1])
            named = (element.get('href', '#main')[1:].split(',')[-1:] +
                     element.get('aria-labelledby', '').split())
            expect(all(name in ids for name in named if name), named)
        expect(sum(e.tag == 'h1' for e in tree.iter()) == 1, which)


def tables_have_captions_and_headers():
    for which in WHICH:
        for table in TREES[which].iter('table'):
            expect(table.find('caption') is not None, which)
            expect(all(h.get('scope') for h in table.iter('th')), which)
        expect(any(True for _ in TREES[which].iter('table')), which)


def tables_have_the_cells_of_json():
    tables = {t.find('caption').text: t for t in TREES['all'].iter('table')}
    for title, rows, key in (('Instructions by class', ALL['mix']['classes'], 'class'),
                             ('Locks', ALL['time']['locks'], 'thread')):
        shown = [''.join(row[0].itertext()) for row in tables[title].find('tbody')]
        expect(shown == [row[key] for row in rows], shown[:3])
    heads = [''.join(h.itertext()) for h in tables['Locks'].find('thead')[0]]
    expect(heads == ['Thread', 'State', 'From (ns)', 'To (ns)'], heads)


def plots_have_titles_and_titled_axes():
    for which in WHICH:
        for plot in TREES[which].iter('figure'):
            svg = plot.find('div').find('svg')
            expect(plot.find('figcaption').text and svg.find('title').text, which)
            expect(svg.get('role') == 'img' and svg.find('desc').text, which)
            titles = [t.text for t in svg.iter('text') if classes(t) == ['title']]
            line = svg.find('desc').text.startswith('Timeline')
            expect(len(titles) == 2 and titles[0 if line else 1] and all(titles) or
                   line and any(titles), titles)
    expect(len(list(TREES['odd'].iter('figure'))) > 60, 'figures')


def bars_are_proportional_to_their_numbers():
    rows = ALL['mix']['classes']
    svg = drawing('Instructions by class')
    bars = marks(svg, 'rect', 's0')
    expect(len(bars) == len(rows), len(bars))
    expect(apart([(r['count'], part(b, 'width')) for r, b in zip(rows, bars)]) < 1e-3, 'bars')
    expect(apart(ticks(svg, 'x') + [(r['count'], part(b, 'width'))
                                    for r, b in zip(rows, bars)]) < 1e-3, 'ticks')
    names = [t.text for t in marks(svg, 'text', 'value')]
    expect(names == [f'{r["count"]:,}' for r in rows], names)


def bars_of_several_numbers_share_an_axis():
    rows = ALL['mix']['accesses']
    svg = drawing('Reads and writes by size')
    pairs = ticks(svg, 'x')
    for series, key in (('s0', 'reads'), ('s1', 'writes')):
        pairs += [(r[key], part(b, 'width'))
                  for r, b in zip(rows, marks(svg, 'rect', series))]
    expect(len(pairs) >= 12 and apart(pairs) < 1e-3, pairs)
    legend = [e[0].tail.strip() for e in figure('Reads and writes by size').find('ul')]
    expect(legend == ['Reads', 'Writes'], legend)


def bins_span_their_interval_and_are_proportional_to_their_numbers():
    rows = ALL['distances']['reuse']
    svg = drawing('Distances of reuse')
    bins = marks(svg, 'rect', 'bin')
    expect(len(bins) == len(rows), len(bins))
    expect(apart(ticks(svg, 'y') + [(r['count'], part(b, 'height'))
                                    for r, b in zip(rows, bins)]) < 1e-3, 'heights')
    edges = [(r['from'], part(b, 'x')) for r, b in zip(rows, bins)][1:]
    expect(apart([t for t in ticks(svg, 'x') if t[0] > 0] + edges, math.log) < 1e-3, edges)
    for left, right in zip(bins, bins[1:]):
        expect(abs(part(left, 'x') + part(left, 'width') - part(right, 'x')) < 1e-3, 'gaps')


def points_are_at_their_numbers():
    rows = ALL['distances']['misses']
    svg = drawing('Misses by the size of the cache')
    points = list(svg.iter('circle'))
    expect(len(points) == len(rows), len(points))
    expect(apart(ticks(svg, 'x') + [(r['size'], part(p, 'cx'))
                                    for r, p in zip(rows, points)], math.log) < 1e-3, 'x')
    expect(apart(ticks(svg, 'y') + [(r['rate'], 1 - part(p, 'cy'))
                                    for r, p in zip(rows, points)], math.log) < 1e-3, 'y')
    expect(len({p.get('class') for p in points}) == 4, 'series')


def long_curves_keep_their_extremes():
    rows = ALL['time']['working_set']
    svg = drawing('Working set')
    path = next(svg.iter('path')).get('d')
    points = [tuple(map(float, p.split())) for p in re.split('[ML]', path)[1:]]
    expect(200 < len(points) < len(rows), len(points))
    expect(all(a[0] <= b[0] for a, b in zip(points, points[1:])), 'order')
    low, high = (min(r['pages'] for r in rows), max(r['pages'] for r in rows))
    places = ticks(svg, 'y') + [(low, 1 - max(p[1] for p in points) / 1000),
                                (high, 1 - min(p[1] for p in points) / 1000)]
    expect(apart(places) < 1e-3, places)


def tiles_are_at_their_numbers_and_greater_ones_are_darker():
    rows = ALL['time']['map']
    svg = drawing('Addresses over time')
    tiles = [r for r in svg.iter('rect')]
    expect(len(tiles) == len(rows), len(tiles))
    expect(apart(ticks(svg, 'x') + [(r['record'], part(t, 'x'))
                                    for r, t in zip(rows, tiles)]) < 1e-3, 'x')
    expect(apart(ticks(svg, 'y') + [(int(r['address'], 16), 1 - part(t, 'y') - part(t, 'height'))
                                    for r, t in zip(rows, tiles)]) < 1e-3, 'y')
    steps = sorted((r['count'], int(t.get('class')[1:])) for r, t in zip(rows, tiles))
    expect(all(a[1] <= b[1] for a, b in zip(steps, steps[1:])), 'order')
    expect(steps[0][1] == 0 and steps[-1][1] == 8 and len({s for _, s in steps}) == 9, 'ends')


def intervals_are_in_lanes_from_their_start_to_their_end():
    rows = ALL['time']['locks']
    svg = drawing('Locks')
    intervals = marks(svg, 'rect', 'interval')
    expect(len(intervals) == len(rows), len(intervals))
    places = ticks(svg, 'x')
    lanes, colours = {}, {}
    for row, rect in zip(rows, intervals):
        places += [(row['from'], part(rect, 'x')),
                   (row['to'], part(rect, 'x') + part(rect, 'width'))]
        lanes.setdefault(row['thread'], set()).add(rect.get('y'))
        colours.setdefault(row['state'], set()).add(rect.get('class'))
    expect(apart(places) < 1e-3, 'places')
    for groups, count in ((lanes, 4), (colours, 3)):
        expect(len(groups) == count and all(len(g) == 1 for g in groups.values()) and
               len(set.union(*groups.values())) == count, groups)


def plots_side_by_side_have_the_same_axes():
    figures = {}
    for plot in TREES['two'].iter('figure'):
        figures.setdefault(plot.find('figcaption').text, []).append(plot.find('div').find('svg'))
    for title, (before, after) in figures.items():
        for axis in 'xy':
            if not any(classes(g) == [axis, 'axis'] for g in before.iter('g')):
                continue
            expect(ticks(before, axis) == ticks(after, axis), title, axis)
    bars = [part(b, 'width') for svg in figures['Instructions by class']
            for b in marks(svg, 'rect', 's0')]
    counts = [row['count'] * factor for factor in (1, 2) for row in ALL['mix']['classes']]
    expect(apart(list(zip(counts, bars))) < 1e-3, bars)


def unusual_numbers_have_no_marks_outside():
    for element in TREES['odd'].iter():
        for name in ('x', 'y', 'width', 'height', 'cx', 'cy'):
            value = element.get(name, '0%')
            if value.endswith('%'):
                expect(-0.1 <= float(value[:-1]) <= 100.1, element.tag, name, value)
        for where in re.findall(r'-?[\d.]+|nan|inf', element.get('d', '')):
            expect(0 <= float(where) <= 1000, where)


def a_terminal_has_the_lines_of_text_followed_by_bars():
    for which in WHICH:
        lines = iter(made(which, TERMINAL).decode().splitlines())
        for wanted in made(which, TEXT).decode().splitlines():
            line = next((line for line in lines if line.startswith(wanted)), None)
            expect(line is not None, wanted)
            expect(re.fullmatch(' *(Reads|[█▏▎▍▌▋▊▉]*)', line[len(wanted):]), line)


def bars_of_characters_are_proportional_to_their_numbers():
    lines = made('all', TERMINAL).decode().split('Instructions by class\n')[1].splitlines()[1:9]
    for line, row in zip(lines, ALL['mix']['classes']):
        bar = re.search('[█▏▎▍▌▋▊▉]*$', line)[0]
        eighths = sum(8 if c == '█' else '▏▎▍▌▋▊▉'.index(c) + 1 for c in bar)
        longest = 29 * 8  # an 80-character line has 51 characters and two blanks before its bar
        expect(abs(eighths - longest * row['count'] / 301882) <= 1, line)
        expect(len(line) <= 80, line)


def points_of_braille_are_at_their_numbers():
    drawing = made('all', TERMINAL).decode().split('Working set: ')[1].splitlines()[1:9]
    rows = ALL['time']['working_set']
    low, high = min(r['pages'] for r in rows), max(r['pages'] for r in rows)
    cells, set_dots = [line[8:] for line in drawing], set()
    width = 80 - 4 - 14
    for y, line in enumerate(cells):
        for x, c in enumerate(line):
            bits = ord(c) - 0x2800 if c != ' ' else 0
            set_dots |= {(2 * x + dx, 4 * y + dy) for bit, (dx, dy) in enumerate(
                [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)])
                if bits >> bit & 1}
    for r in rows:
        x = r['record'] / rows[-1]['record'] * (2 * width - 1)
        y = (high - r['pages']) / (high - low) * 31
        expect(any(abs(dx - x) <= 0.51 and abs(dy - y) <= 0.51 for dx, dy in set_dots), r)


def long_tables_are_truncated_on_terminals():
    text = made('all', TERMINAL, '40', '0').decode()
    expect('… 2,460 more rows (CSV and JSON contain all)\n' in text and '\x1b' not in text, 'cut')
    expect(len(text.splitlines()) < 300, len(text.splitlines()))
    expect(not re.search(' $', text, re.M), 'blanks')


def colours_change_only_colours():
    def plain(text):
        return re.sub('\x1b\\[[0-9]*m', '', text)
    coloured, text = (made('all', TERMINAL, '40', c).decode() for c in '10')
    lanes = re.compile(r'^(    thread \d) .*$|^.*━━.*\n', re.M)  # colours distinguish shades
    expect(lanes.sub(r'\1', plain(coloured)) == lanes.sub(r'\1', text), 'text')
    expect('\x1b[1mOverview\x1b[0m' in coloured, 'title')


TESTS = [value for value in list(globals().values())
         if callable(value) and '_' in getattr(value, '__name__', '')]
print(f'1..{len(TESTS)}')
for i, test in enumerate(TESTS, 1):
    try:
        test()
        print(f'ok {i} - {test.__name__}')
    except Exception as fault:
        print(f'# {type(fault).__name__}: {str(fault)[:300]}\nnot ok {i} - {test.__name__}')
