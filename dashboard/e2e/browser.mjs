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

export async function openBrowser() {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--font-render-hinting=none'] });
}

/** @param problems collects what went wrong in the page */
export async function newPage(browser, url, problems, { width = 1440, height = 900, theme = 'light' } = {}) {
  const context = await browser.newContext({ baseURL: url, viewport: { width, height }, colorScheme: theme, timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce' });
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
