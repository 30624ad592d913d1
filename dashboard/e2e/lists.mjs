// The list of events with 200 rows: how fast it is drawn, and how fast it answers. Times are those of the reference machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowness, steadyTime, traceTasks } from './browser.mjs';
import { browser, made, noProblems, page, post } from './world.mjs';

const ROWS = 200;
const ROW_HEIGHT = 32;
const MAX_LIST_MILLISECONDS = 50;
const MAX_INTERACTION_MILLISECONDS = 100;

test('a list of 200 events fills the window in less than 50 ms, has no longer task, and answers a click or a key within 100 ms', async (t) => {
  for (let i = 0; i < ROWS; i += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => post(made.code, `{"type":"row.stored","number":${i + k}}`)));
  await page.goto('/events');
  await page.getByRole('group', { name: 'Events per page' }).getByRole('button', { name: String(ROWS) }).click();
  await page.waitForURL('**/events?rows=200');
  const rows = page.locator('.list tbody tr');
  await rows.nth(ROWS - 1).waitFor();

  // The other view has few rows, and the events of this one are in the browser's memory.
  const all = await page.locator('.views').getByRole('button', { name: 'All' }).elementHandle();
  const filled = Math.ceil(page.viewportSize().height / ROW_HEIGHT);
  const drawn = await steadyTime(page, () => all.evaluate(pressAndDraw, filled), { prepare: () => choose('Not verified') });
  t.diagnostic(`the window is full of events after ${drawn.toFixed(1)} ms`);
  assert.ok(drawn < MAX_LIST_MILLISECONDS, `filling the window with events took ${drawn.toFixed(1)} ms`);
  await choose('Not verified');
  const slow = await slowness(page);
  const stopTracing = await traceTasks(browser, page);
  await choose('All');
  const longest = (await stopTracing()) / slow;
  t.diagnostic(`the longest of the tasks that draw all ${ROWS} takes ${longest.toFixed(1)} ms`);
  assert.ok(longest < MAX_LIST_MILLISECONDS, `a task took ${longest.toFixed(1)} ms`);

  const filter = page.getByRole('button', { name: 'All sources' });
  const list = page.getByRole('dialog', { name: 'Sources' });
  const drawer = page.locator('.drawer .view');
  const close = async () => {
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  };
  const open = async () => {
    await rows.nth(10).locator('button').click();
    await drawer.waitFor();
  };
  const acts = {
    'open an event': { act: open, after: close },
    'step to the next one': { before: open, act: () => stepDown(drawer), after: close },
    'close it': { before: open, act: close },
    'open the filter': { act: async () => { await filter.click(); await list.waitFor(); }, after: async () => { await page.keyboard.press('Escape'); await list.waitFor({ state: 'detached' }); } },
    'choose a view': { act: () => choose('Not verified'), after: () => choose('All') },
  };
  const late = [];
  for (const [name, { before = async () => {}, act, after = async () => {} }] of Object.entries(acts)) {
    let isFirst = true;
    const prepare = async () => {
      if (!isFirst) await after();
      isFirst = false;
      await before();
    };
    const spent = await steadyTime(page, act, { rounds: 3, prepare });
    await after();
    t.diagnostic(`${name}: ${spent.toFixed(1)} ms`);
    if (spent >= MAX_INTERACTION_MILLISECONDS) late.push(`${name}: ${spent.toFixed(1)} ms`);
  }
  assert.deepEqual(late, []);
  noProblems();
});

async function stepDown(drawer) {
  const before = page.url();
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.href !== before);
  await drawer.waitFor();
}

async function choose(view) {
  await page.locator('.views').getByRole('button', { name: view }).click();
  await page.locator('.views .on', { hasText: view }).waitFor();
  await page.waitForFunction((isAll) => document.querySelectorAll('.list tbody tr').length >= 200 === isAll, view === 'All');
}

/** Ends once the rows that fit into the window are on the screen. */
function pressAndDraw(button, number) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelectorAll('.list tbody tr').length >= number) requestAnimationFrame(() => setTimeout(resolve));
      else requestAnimationFrame(look);
    };
    button.click();
    look();
  });
}
