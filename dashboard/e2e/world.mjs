// What all tests share: one server, one receiver, one browser, and a page that the first test signs in.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { newPage, newTab, openBrowser } from './browser.mjs';
import { seed } from './seed.mjs';
import { EMAIL, PASSWORD, startReceiver, startServer } from './server.mjs';

export let server;
export let receiver;
export let browser;
export let page;
export const problems = [];

/** What `fill` made: sources, destinations and connections with events. */
export let made;

before(async () => {
  [server, receiver, browser] = await Promise.all([startServer(), startReceiver(), openBrowser()]);
  page = await newPage(browser, server.url, problems);
});

after(async () => {
  await browser?.close();
  await receiver?.stop();
  await server?.stop();
});

/** Fills the first workspace. */
export async function fill() {
  made = await seed(server.url, receiver);
}

/** A content security policy that stopped something, or an error in a page, fails the test that met it. */
export function noProblems() {
  assert.deepEqual(problems.splice(0), []);
}

export async function signIn(to = page, path = '/') {
  await to.goto(path);
  await to.getByLabel('E-mail').fill(EMAIL);
  await to.getByLabel('Password').fill(PASSWORD);
  await to.getByRole('button', { name: 'Sign in' }).click();
  await to.locator('.app').waitFor();
}

/** A page of its own, signed in as the owner. */
export async function ownPage(shape = {}) {
  const own = await newPage(browser, server.url, problems, shape);
  await signIn(own);
  return own;
}

/** Calls the API with the session of a page. */
export async function callAs(own, method, path, body) {
  const { status, text } = await own.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(path, { method, headers: body === undefined ? {} : { 'Content-Type': 'application/json' }, body: body === undefined ? undefined : JSON.stringify(body) });
      return { status: answer.status, text: await answer.text() };
    },
    [method, path, body],
  );
  assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Sends a webhook to a source. */
export function post(source, body, headers = {}) {
  return fetch(server.url + source.ingest_path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
}

/** Every page, by the name of its picture. */
export function routes() {
  return {
    overview: '/overview',
    live: '/live',
    events: '/events',
    event: `/events/${made.last}`,
    headers: `/events/${made.last}?tab=headers`,
    sent: `/events/${made.last}?tab=sent`,
    diff: `/events/${made.last}?tab=diff`,
    raw: `/events/${made.last}?tab=raw`,
    failures: '/failures',
    'resolved-failures': '/failures?resolved=true',
    sources: '/sources',
    'new-source': '/sources?new=1',
    trash: '/sources?view=trash',
    source: `/sources/${made.shop.id}`,
    verification: `/sources/${made.shop.id}/verification`,
    response: `/sources/${made.shop.id}/response`,
    refusals: `/sources/${made.payments.id}/refusals`,
    'source-settings': `/sources/${made.shop.id}/settings`,
    destinations: '/destinations',
    'new-destination': '/destinations?new=1',
    destination: `/destinations/${made.fulfilment.id}`,
    'destination-settings': `/destinations/${made.fulfilment.id}/settings`,
    connections: '/connections',
    bench: `/connections/${made.bench.id}`,
    transform: `/connections/${made.bench.id}?tab=transform`,
    replays: '/replays',
    replay: `/replays/${made.replay}`,
    alerts: '/alerts',
    settings: '/settings',
    plan: '/settings/plan',
    members: '/settings/members',
    'api-keys': '/settings/api-keys',
    'audit-log': '/settings/audit-log',
    account: '/settings/account',
    appearance: '/settings/appearance',
    welcome: '/welcome',
  };
}

/** Calls `visit(tab, name, path)` for each route, in two tabs of the page's context at a time: much of the time is waiting. */
export async function visitEach(paths, own, visit) {
  const left = Object.entries(paths);
  const visitSome = async () => {
    const tab = await newTab(own.context(), problems);
    try {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await visit(tab, ...next);
    } finally {
      await tab.close();
    }
  };
  const ended = await Promise.allSettled([visitSome(), visitSome()]);
  for (const { reason } of ended) if (reason !== undefined) throw reason;
}

/** Nothing is loading any more. */
export async function settled(on) {
  await on.locator('.main').waitFor();
  await on.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await on.waitForTimeout(200);
}

const WAIT_MILLISECONDS = 30_000;

export async function waitUntil(condition) {
  const end = Date.now() + WAIT_MILLISECONDS;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`did not happen within ${WAIT_MILLISECONDS / 1000} s`);
}
