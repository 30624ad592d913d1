// The live view: pausing, 200 events a second, and a server that is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorTime, slowness, traceTasks } from './browser.mjs';
import { client } from './server.mjs';
import { browser, made, noProblems, page, post, server } from './world.mjs';

test('the live view shows an event that arrives, holds the next one while paused, and goes on', async () => {
  await page.goto('/live');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const send = () => post(made.shop, '{"live":1}');
  const rows = page.locator('.list tbody tr');
  await send();
  await rows.nth(0).waitFor();
  await post(made.shop, '{"type":"order.shown"}');
  await rows.filter({ hasText: 'order.shown' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await send();
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.equal(await rows.count(), 2);
  await page.getByRole('button', { name: 'Resume' }).click();
  await rows.nth(2).waitFor();
  noProblems();
});

const SECONDS = Number(process.env.LIVE_SECONDS || 30);
const EVENTS_A_SECOND = 200;
const MAX_TASK_MILLISECONDS = 100;
const MAX_LIST_MILLISECONDS = 50;

test('a list that gets 200 rows at once is drawn in less than 50 ms', async () => {
  await page.goto('/live');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const rows = page.locator('.list tbody tr');
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    await page.getByRole('button', { name: 'Pause' }).click();
    for (let i = 0; i < 200; i += 10) await Promise.all(Array.from({ length: 10 }, () => post(made.code, '{"row":1}')));
    await page.getByRole('button', { name: '200 new' }).waitFor();
    const button = await page.getByRole('button', { name: 'Resume' }).elementHandle();
    const limit = MAX_LIST_MILLISECONDS * (await slowness(page));
    rounds.push({ spent: await processorTime(page, () => button.evaluate(pressAndDraw)), limit });
    await page.getByText('200 of at most').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rows.nth(0).waitFor({ state: 'detached' });
  }
  assert.ok(rounds.some((one) => one.spent < one.limit), rounds.map((one) => `${Math.round(one.spent)} ms of ${Math.round(one.limit)} ms`).join(', '));
  noProblems();
});

/** Ends once what the press changed is on the screen. */
function pressAndDraw(button) {
  return new Promise((resolve) => {
    button.click();
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  });
}

test(`the live view follows ${EVENTS_A_SECOND} events a second for ${SECONDS} s without a long task, and a server that is killed and comes back`, async (t) => {
  await page.goto('/live');
  const state = page.getByRole('status');
  await state.filter({ hasText: 'Live' }).waitFor();
  const slow = [await slowness(page)];
  const stopTracing = await traceTasks(browser, page);

  const before = await sendFor(SECONDS * 500);
  await server.kill();
  await state.filter({ hasText: 'Reconnecting' }).waitFor();
  await server.startAgain();
  await state.filter({ hasText: /^Live$/ }).waitFor({ timeout: 60_000 });
  const after = await sendFor(SECONDS * 500);

  const last = after.at(-1);
  await page.locator(`.list a[href$="/events/${last}"]`).waitFor();
  assert.equal(await page.getByText('may be missing').count(), 0, 'the stream went on where it was');
  await page.getByText('500 of at most 500 rows').waitFor();
  const longest = await stopTracing();
  slow.push(await slowness(page));
  const limit = MAX_TASK_MILLISECONDS * Math.max(...slow);
  t.diagnostic(`the longest task took ${Math.round(longest)} ms; this machine is ${Math.max(...slow).toFixed(1)} times as slow as the reference`);
  assert.ok(longest < limit, `the longest task took ${Math.round(longest)} ms of ${Math.round(limit)} ms`);
  // All that was answered is stored; the view has the newest of it.
  const stored = client(server.url);
  for (const id of [before[0], before.at(-1), after[0], last]) await stored('GET', `/api/v1/events/${id}`);
  noProblems();
});

/** Sends at the rate, whatever the answers take, and returns the ids of those that were answered. */
async function sendFor(milliseconds) {
  const PERIOD = 50;
  const start = Date.now();
  const sent = [];
  for (let number = 0; Date.now() - start < milliseconds; ) {
    const due = ((Date.now() - start) * EVENTS_A_SECOND) / 1000;
    for (; number < due; number++) sent.push(post(made.code, `{"type":"load","number":${number}}`).then((answer) => answer.json()));
    await new Promise((resolve) => setTimeout(resolve, PERIOD));
  }
  return (await Promise.all(sent)).map((one) => one.request_id);
}
