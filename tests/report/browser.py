#!/usr/bin/env python3
"""Reports in a browser, as TAP.

    browser.py PAGES POLYTRACE

PAGES is the program of pages.c. Chromium shows its pages, and reports of traces, at three widths,
and dark with all tables unfolded; a script in the page finds faults. The test is skipped without
chromedriver. The protocol is WebDriver (https://www.w3.org/TR/webdriver2/).
"""
import functools
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import needs  # noqa: E402

WHICH = ('all', 'two', 'odd')
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
REPORTS = {'tt6': ['pthr/thread_001.tt6'], 'bach': ['bach/bios_irq_4k.bach'],
           'cis501': ['cis501/sort_1k.trace'], 'qemu4v': ['qemu4v/arm_start_2k.q4v'],
           'aix': ['aix/log1112.trc'], 'threads': ['pthr/thread_001.tt6', 'pthr/thread_002.tt6']}
WIDTHS = (360, 800, 1400)
ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
             '--disable-background-networking', '--disable-component-update', '--disable-sync',
             '--disable-dev-shm-usage']

# Returns faults as sentences. Boxes may overlap by a fraction of a pixel because of rounding.
SCRIPT = r'''
const faults = [], root = document.documentElement;
const say = (...words) => { if (faults.length < 20) faults.push(words.join(' ')); };
const box = e => e.getBoundingClientRect();
const seen = e => e.checkVisibility() && box(e).width > 0;
const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 ||
    a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
if (root.scrollWidth > root.clientWidth)
    say('the page is', root.scrollWidth, 'wide in', root.clientWidth);
for (const e of document.querySelectorAll('main *')) {
    const inner = e.closest('.scroll');
    if (!inner && seen(e) && box(e).right > root.clientWidth + 1)
        say(e.tagName, e.textContent.slice(0, 30), 'ends at', box(e).right);
    if (e.children.length === 0 && e.textContent && !inner && !e.closest('svg') &&
            e.tagName !== 'CAPTION' && e.scrollWidth > e.clientWidth + 1 &&
            getComputedStyle(e).display !== 'inline')
        say('text of', e.tagName, 'is cut:', e.textContent.slice(0, 30));
}
for (const figure of document.querySelectorAll('figure')) {
    const name = figure.querySelector('figcaption').textContent;
    const texts = [...figure.querySelectorAll('.plot text')].filter(t => t.textContent && seen(t));
    const frame = box(figure);
    texts.forEach((a, i) => {
        if (box(a).left < frame.left - 1 || box(a).right > frame.right + 1)
            say(name, ':', a.textContent, 'leaves the figure');
        for (const b of texts.slice(i + 1))
            if (!apart(box(a), box(b)))
                say(name, ':', a.textContent, 'overlaps', b.textContent);
    });
    if (texts.filter(t => t.classList.contains('tick')).length < 1)
        say(name, 'has no ticks');
    if (!texts.some(t => t.classList.contains('title')))
        say(name, 'has no axis title');
    const drawing = box(figure.querySelector('.plot > svg'));
    if (drawing.width < 90 || drawing.height < 15)
        say(name, 'is drawn', drawing.width, 'by', drawing.height);
    for (const mark of figure.querySelectorAll('.plot rect, .plot circle, .plot path')) {
        const b = box(mark);
        if (b.right > drawing.right + 8 || b.left < drawing.left - 8)
            say(name, 'has a mark from', b.left, 'to', b.right);
    }
}
const contrast = (a, b) => {
    const light = c => {
        const [r, g, b] = c.match(/[\d.]+/g).map(Number).map(
            v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
};
const ground = e => {
    while (e && getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)')
        e = e.parentElement;
    return getComputedStyle(e || document.body).backgroundColor;
};
const judged = new Set();
for (const e of document.querySelectorAll('h1, h2, h3, p, dt, dd, dd span, th, td, caption, a, ' +
        'summary, figcaption, .legend li, .plot text, footer')) {
    const style = getComputedStyle(e), color = e.closest('svg') ? style.fill : style.color;
    const kind = [e.tagName, e.classList, color, ground(e)].join();
    if (judged.has(kind) || e.classList.contains('skip')) continue;
    judged.add(kind);
    if (contrast(color, ground(e)) < 4.5)
        say('contrast of', e.tagName, color, 'is', contrast(color, ground(e)).toFixed(2));
}
for (const e of document.querySelectorAll('.legend rect')) {
    const color = getComputedStyle(e).fill;
    if (contrast(color, ground(e.closest('li'))) < 3)
        say('contrast of a series', e.classList, 'is', contrast(color, ground(e.closest('li'))));
}
let level = 0;
for (const h of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    if (Number(h.tagName[1]) > level + 1) say('heading', h.textContent, 'skips a level');
    level = Number(h.tagName[1]);
}
return faults;
'''


class Page(BaseHTTPRequestHandler):
    """Serves the pages and records other requests."""

    def do_GET(self):
        page = self.server.pages.get(self.path)
        if page is None:
            self.server.others.append(self.path)
        self.send_response(200 if page else 404)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        self.wfile.write(page or b'')

    def log_message(self, *_):
        pass


class Browser:
    """A session of chromedriver."""

    def __init__(self, folder):
        self.driver = subprocess.Popen(
            ['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        port = None
        while port is None:
            line = self.driver.stdout.readline()
            if not line:
                raise OSError('chromedriver ended')
            port = re.search(r'started successfully on port (\d+)', line)
        threading.Thread(target=self.driver.stdout.read, daemon=True).start()
        self.port = int(port[1])
        self.path = ''
        options = {'args': ARGUMENTS + ['--user-data-dir=' + folder]}
        started = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': {
            'browserName': 'chrome', 'goog:chromeOptions': options,
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}}})
        self.path = '/session/' + started['sessionId']

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        connection.request(method, self.path + path, json.dumps(body or {})
                           if method == 'POST' else None,
                           {'Content-Type': 'application/json'})
        value = json.loads(connection.getresponse().read())['value']
        connection.close()
        if isinstance(value, dict) and 'error' in value:
            raise OSError(value['error'] + ': ' + value['message'][:200])
        return value

    def devtools(self, command, **parameters):
        return self.ask('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def script(self, text):
        return self.ask('POST', '/execute/sync', {'script': text, 'args': []})

    def log(self, kind):
        return self.ask('POST', '/se/log', {'type': kind})

    def close(self):
        try:
            self.ask('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()


def serve(pages):
    server = ThreadingHTTPServer(('127.0.0.1', 0), Page)
    server.pages, server.others = pages, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def look(browser, scheme, width, unfolded):
    """Faults of the open page in a colour scheme, at a width."""
    browser.devtools('Emulation.setEmulatedMedia', features=[
        {'name': 'prefers-color-scheme', 'value': scheme}])
    browser.devtools('Emulation.setDeviceMetricsOverride', width=width, height=900,
                     deviceScaleFactor=1, mobile=False)
    browser.script('for (const d of document.querySelectorAll("details")) d.open = %s;' %
                   ('true' if unfolded else 'false'))
    return [f'{scheme}, {width}{", unfolded" if unfolded else ""}: {fault}'
            for fault in browser.script(SCRIPT)]


def page_is_valid(browser, server, which):
    browser.ask('POST', '/url', {'url': 'about:blank'})
    browser.log('performance')
    browser.log('browser')
    browser.ask('POST', '/url', {'url': f'http://127.0.0.1:{server.server_port}/{which}'})
    faults = []
    for width in WIDTHS:
        faults += look(browser, 'light', width, False)
    faults += look(browser, 'dark', WIDTHS[0], True)
    faults += [entry['message'] for entry in browser.log('browser')]
    for entry in browser.log('performance'):
        message = json.loads(entry['message'])['message']
        url = message['params'].get('request', {}).get('url', 'data:,')
        if message['method'] == 'Network.requestWillBeSent' and not url.startswith(('data:', 'chrome:')) and \
                not url.endswith('/' + which):
            faults.append('requests ' + url)
    return faults + ['requests ' + path for path in server.others]


def finds_faults(browser, server):
    """Faults that the script does not find in a page that has each of them."""
    browser.ask('POST', '/url', {'url': f'http://127.0.0.1:{server.server_port}/faulty'})
    found = '\n'.join(look(browser, 'light', 360, False))
    return [f'does not find: {fault}' for fault in (
        'the page is', 'is cut', 'overlaps', 'leaves the figure', 'has no ticks',
        'contrast of P', 'skips a level') if fault not in found]


FAULTY = b'''<!DOCTYPE html><html><body><main><h1>A</h1><h3>B</h3>
<p style="color:#999;background:#fff">C</p><p style="width:20px;overflow:hidden">Cuuuuuuuuuuuut</p>
<figure><figcaption>D</figcaption><div class="plot"><svg width="200" height="50">
<text class="title" x="10" y="20">One</text><text x="12" y="22">Two</text>
<text x="-90" y="40">Three</text></svg></div></figure>
<div style="width:900px">wide</div></main></body></html>'''


def main():
    if needs.lacking('chromium', 'chromedriver'):
        print(f'1..0 # SKIP {needs.lacking("chromium", "chromedriver")}')
        return
    pages = {'/' + which: subprocess.run([sys.argv[1], which, '4'], capture_output=True,
                                         check=True).stdout for which in WHICH}
    for name, traces in REPORTS.items():
        command = [os.path.abspath(sys.argv[2]), 'report', '--all', *traces, '-o', '-']
        pages['/' + name] = subprocess.run(command, capture_output=True, cwd=DATA,
                                           check=True).stdout
    server = serve({**pages, '/faulty': FAULTY})
    tests = [(f'the_page_{which}_is_valid', functools.partial(page_is_valid, which=which))
             for which in (*WHICH, *REPORTS)] + [('faults_are_found', finds_faults)]
    print(f'1..{len(tests)}', flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            for i, (name, test) in enumerate(tests, 1):
                faults = test(browser, server)
                print(''.join(f'# {fault}\n' for fault in faults[:30]) +
                      f'{"not " if faults else ""}ok {i} - {name}', flush=True)
        finally:
            browser.close()


main()
