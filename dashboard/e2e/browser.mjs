// Debian's Chromium by Playwright's core. Every page fails the run on a report of the content security policy or on an error of its own.
import { existsSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function findChromium() {
  const found = [process.env.CHROMIUM, ...PLACES].find((path) => path && existsSync(path));
  if (!found) throw new Error('No Chromium found. Type: sudo apt-get install -y --no-install-recommends chromium');
  return found;
}

/** @param more further arguments of the browser */
export async function openBrowser(more = []) {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--font-render-hinting=none', ...more] });
}

/** @param problems collects what went wrong in the page */
export async function newPage(browser, url, problems, { width = 1440, height = 900, theme = 'light' } = {}) {
  const context = await browser.newContext({ baseURL: url, viewport: { width, height }, colorScheme: theme, timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce' });
  return newTab(context, problems);
}

/** Another page of the same person. */
export async function newTab(context, problems) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
  });
  page.on('console', (message) => {
    const text = message.text();
    // The browser logs each answer that is no success; the pages show those themselves.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(`${page.url()}: ${text}`);
  });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.stack}`));
  page.setDefaultTimeout(15_000);
  return page;
}

/** The processor time that the page's main thread spends on something, in milliseconds. On a busy machine it says more than the clock. */
export async function processorTime(page, act) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value * 1000;
  const before = await spent();
  await act();
  const after = await spent();
  await session.detach();
  return after - before;
}

/** What the work below takes of a processor of the developers' machine that does nothing else, in milliseconds. */
const REFERENCE_MILLISECONDS = 8;
/** A limit that grew without end would pass anything on a machine that is busy enough. */
const MAX_SLOWNESS = 5;

/**
 * How many times slower the machine is now than when it does nothing else; at least 1 and at most `MAX_SLOWNESS`. Other work in its caches makes everything take more
 * processor time, so limits of processor time grow with what a fixed piece of work takes: 1 400 cells built and laid out.
 */
export async function slowness(page) {
  const spent = [];
  for (let round = 0; round < 3; round++) spent.push(await processorTime(page, () => page.evaluate(buildRows)));
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.min(...spent) / REFERENCE_MILLISECONDS));
}

/** What something takes on the reference machine: the middle of several rounds of processor time, each by how slow the machine was then. */
export async function steadyTime(page, act, { rounds = 5, prepare = async () => {} } = {}) {
  const spent = [];
  for (let round = 0; round < rounds; round++) {
    await prepare();
    const slow = await slowness(page);
    spent.push((await processorTime(page, act)) / slow);
  }
  return spent.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

function buildRows() {
  const box = document.createElement('div');
  for (let i = 0; i < 200; i++) {
    const row = document.createElement('div');
    for (let j = 0; j < 7; j++) {
      const cell = document.createElement('span');
      cell.textContent = `row ${i}, cell ${j}`;
      row.append(cell);
    }
    box.append(row);
  }
  document.body.append(box);
  box.getBoundingClientRect();
  box.remove();
}

/** Begins to record tasks. What it returns ends that, and says how much processor time the longest task of a main thread took, in milliseconds. */
export async function traceTasks(browser, page) {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'toplevel'] });
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const mains = new Set(traceEvents.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain').map((one) => `${one.pid} ${one.tid}`));
    const tasks = traceEvents.filter((one) => one.ph === 'X' && one.name.endsWith('RunTask') && mains.has(`${one.pid} ${one.tid}`));
    if (tasks.length === 0) throw new Error('The trace has no tasks.');
    return Math.max(...tasks.map((one) => one.tdur ?? one.dur)) / 1000;
  };
}

const ALL_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** What a theme can change. */
const COLOR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** The serious findings of axe on the page as it is now. It runs in the debugger's world, which the page's policy does not bind. */
export async function audit(page, { onlyColors = false } = {}) {
  await page.evaluate(axeSource);
  const found = await page.evaluate((runOnly) => globalThis.axe.run(document, { runOnly }), onlyColors ? COLOR_RULES : ALL_RULES);
  return found.violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.target.join(' ')} ${node.any?.[0]?.message ?? node.failureSummary}`));
}
