// Every page: axe in both themes, a phone's width, how fast it answers, and the pictures of the guide.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { audit, newPage, processorTime, slowness } from './browser.mjs';
import { shrink } from './png.mjs';
import { browser, callAs, made, noProblems, ownPage, page, post, problems, routes, server, settled, signIn, visitEach } from './world.mjs';

const guide = fileURLToPath(new URL('../../docs/guide/', import.meta.url));

const MAX_INTERACTION_MILLISECONDS = 100;

test('every page in both themes: axe finds nothing serious, and none is wider than a phone', async () => {
  const found = [];
  await visitEach({ ...routes(), missing: '/no/such/page' }, page, async (tab, name, path) => {
    await tab.goto(path);
    await settled(tab);
    for (const theme of ['light', 'dark']) {
      await tab.emulateMedia({ colorScheme: theme });
      found.push(...(await audit(tab, { onlyColors: theme === 'dark' })).map((one) => `${name}, ${theme}: ${one}`));
    }
    await tab.setViewportSize({ width: 360, height: 740 });
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than 360 px`);
    await tab.setViewportSize({ width: 1440, height: 900 });
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than the window`);
  });
  assert.deepEqual(found, []);
  noProblems();
});

const MAX_SHIFT = 0.1;
/** Long enough for placeholders to be shown. */
const ANSWER_MILLISECONDS = 200;

test('no page moves while it loads, on a phone or a wide screen, though the server takes its time', async (t) => {
  const moved = [];
  const look = async ([width, height]) => {
    const own = await ownPage({ width, height });
    await own.context().addInitScript(() => {
      window.shift = 0;
      window.shifted = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.hadRecentInput) continue;
          window.shift += entry.value;
          window.shifted.push(...entry.sources.map(({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML.slice(0, 80) ?? 'gone'));
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await own.context().route('**/api/**', async (route) => {
      if (route.request().url().includes('/stream')) return route.continue();
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MILLISECONDS));
      await route.continue().catch(() => {});
    });
    await visitEach(routes(), own, async (tab, name, path) => {
      await tab.goto(path);
      await settled(tab);
      await tab.waitForTimeout(1.5 * ANSWER_MILLISECONDS);
      const { shift, shifted } = await tab.evaluate(() => ({ shift: window.shift, shifted: window.shifted }));
      assert.equal(typeof shift, 'number', 'the page measures nothing');
      if (shift > MAX_SHIFT) moved.push(`${name} at ${width} px: ${shift.toFixed(3)}, ${[...new Set(shifted)].slice(0, 4).join(' | ')}`);
      else if (shift > MAX_SHIFT / 2) t.diagnostic(`${name} at ${width} px: ${shift.toFixed(3)}`);
    });
    await own.context().close();
  };
  await Promise.all([[1440, 900], [390, 844]].map(look));
  assert.deepEqual(moved, []);
  noProblems();
});

test('what a key or a click does is drawn within 100 ms', async () => {
  await page.goto('/events');
  await page.locator('.list tbody tr').nth(20).waitFor();
  const acts = {
    'open the palette': [() => page.keyboard.press('Control+k'), () => page.getByRole('listbox').waitFor()],
    'find in the palette': [() => page.keyboard.press('b'), () => page.getByRole('option', { name: 'billing-api' }).waitFor()],
    'close the palette': [() => page.keyboard.press('Escape'), () => page.getByRole('listbox').waitFor({ state: 'detached' })],
    'switch the theme': [() => page.keyboard.press('t'), () => page.locator('html[data-theme=dark]').waitFor()],
    'switch it back': [() => page.keyboard.press('t'), () => page.locator('html[data-theme=light]').waitFor()],
    'open an event': [() => page.keyboard.press('j'), () => page.locator('.drawer .view').waitFor()],
    'close it': [() => page.keyboard.press('Escape'), () => page.locator('.drawer').waitFor({ state: 'detached' })],
    'change the page': [() => page.getByRole('link', { name: 'Destinations' }).first().click(), () => page.getByRole('heading', { name: 'Destinations' }).waitFor()],
    'go back': [() => page.goBack(), () => page.locator('.list tbody tr').nth(20).waitFor()],
  };
  const best = {};
  for (let round = 0; round < 3; round++) {
    for (const [name, [act, shown]] of Object.entries(acts)) {
      const spent = await processorTime(page, async () => {
        await act();
        await shown();
      });
      best[name] = Math.min(best[name] ?? Infinity, Math.round(spent));
    }
  }
  const limit = MAX_INTERACTION_MILLISECONDS * (await slowness(page));
  assert.deepEqual(Object.entries(best).filter(([, spent]) => spent >= limit), []);
  noProblems();
});

test('signing out ends on the sign-in page, which axe accepts', async () => {
  await page.goto('/settings/account');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await auditBothThemes('sign-in');
  noProblems();
});

test('the pages of somebody who is not signed in: axe accepts them, and none is wider than a phone', async () => {
  for (const link of ['Create an account', 'Forgot password?']) {
    await page.goto('/');
    await page.getByRole('button', { name: link }).click();
    await page.getByRole('button', { name: 'Back to sign-in' }).waitFor();
    await auditBothThemes(link);
  }
  for (const [path, heading] of [['/reset#no-such-token', 'Set a new password'], ['/invite#no-such-token', 'Sign in']]) {
    await page.goto(path);
    await page.getByRole('heading', { name: heading }).waitFor();
    await auditBothThemes(path);
  }
  noProblems();
});

async function auditBothThemes(name) {
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    assert.deepEqual(await audit(page), [], `${name}, ${theme}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than 360 px`);
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('dialogs and the palette in both themes: axe finds nothing serious', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await signIn();
  const dialogs = {
    'new alert channel': ['/alerts', 'New channel'],
    'rotate token': [`/sources/${made.shop.id}/settings`, 'Rotate token'],
    'delete source': [`/sources/${made.shop.id}/settings`, 'Move to the trash'],
    'delete destination': [`/destinations/${made.fulfilment.id}/settings`, 'Delete destination'],
    'new key': ['/settings/api-keys', 'New key'],
    'as API calls': [`/events/${made.last}`, 'Show as API call'],
  };
  for (const [name, [path, button]] of Object.entries(dialogs)) {
    await page.goto(path);
    await settled(page);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
    await auditBothThemes(name);
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('listbox').waitFor();
  await auditBothThemes('palette');
  noProblems();
});

const WIDTHS = { wide: [1440, 900], middle: [1024, 768], narrow: [390, 844] };

/** What a picture needs besides its address. */
const PREPARED = {
  async live(own) {
    await own.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    for (let i = 0; i < 14; i++) await post(i % 3 === 0 ? made.crm : made.code, '{"action":"opened"}', { 'X-Forge-Event': i % 3 === 0 ? 'contact' : 'issue' });
    await own.locator('.list tbody tr').nth(13).waitFor();
  },
  async bench(own) {
    await own.getByRole('button', { name: 'Test against them' }).click();
    await own.getByText(/would be sent, /).waitFor();
    await own.waitForTimeout(1_500);
  },
  /** One that is still at work, slowly enough to be seen. */
  async replay(own) {
    const { replay_id } = await callAs(own, 'POST', '/api/v1/dlq/resend', { connection_id: made.bench.id, per_second: 2 });
    await own.goto(`/replays/${replay_id}`);
    await own.getByText('per second, about').waitFor();
  },
  async 'source-settings'(own) {
    await own.getByRole('button', { name: 'Rotate token' }).click();
  },
};

test('pictures for the guide', { skip: process.env.SCREENSHOTS === undefined }, async () => {
  mkdirSync(guide, { recursive: true });
  for (const name of readdirSync(guide)) if (name.endsWith('.png')) rmSync(guide + name); // the texts stay
  for (const [width, [w, h]] of Object.entries(WIDTHS)) {
    for (const theme of ['light', 'dark']) {
      const own = await newPage(browser, server.url, problems, { width: w, height: h, theme });
      const save = async (name) => writeFileSync(`${guide}${name}-${width}-${theme}.png`, shrink(await own.screenshot()));
      await own.goto('/');
      await own.getByLabel('E-mail').waitFor();
      await save('sign-in');
      await signIn(own);
      for (const [name, path] of Object.entries(routes())) {
        await own.goto(path);
        await settled(own);
        await PREPARED[name]?.(own);
        // On a phone the tabs of an event are below its deliveries.
        if (path.includes('?tab=') && width === 'narrow') await own.locator('.view, .cols > div').last().evaluate((one) => one.scrollIntoView());
        await save(name);
      }
      await own.goto(`/events/${made.last}`);
      await settled(own);
      await own.keyboard.press('r');
      await own.getByRole('dialog', { name: 'Resend this event' }).getByRole('checkbox').first().waitFor();
      await save('resend');
      // What the first minute begins with.
      await own.route('**/api/v1/events?*', (route) => route.fulfill({ json: { items: [], total: 0, next_cursor: null } }));
      await own.goto('/welcome');
      await own.getByText('Waiting for an event').waitFor();
      await save('welcome-waiting');
      await own.keyboard.press('Control+k');
      await own.getByRole('listbox').waitFor();
      await save('palette');
      await own.context().close();
    }
  }
  noProblems();
});
