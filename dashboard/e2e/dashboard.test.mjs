// The dashboard in a real browser against the real server. `SCREENSHOTS=1` also writes the pictures of docs/guide.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { audit, newPage, openBrowser } from './browser.mjs';
import { shrink } from './png.mjs';
import { seed } from './seed.mjs';
import { client, EMAIL, PASSWORD, startReceiver, startServer } from './server.mjs';

const guide = fileURLToPath(new URL('../../docs/guide/', import.meta.url));

let server;
let receiver;
let browser;
let page;
const problems = [];

before(async () => {
  [server, receiver, browser] = await Promise.all([startServer(), startReceiver(), openBrowser()]);
  page = await newPage(browser, server.url, problems);
});

after(async () => {
  await browser?.close();
  await receiver?.stop();
  await server?.stop();
});

/** A content security policy that stopped something, or an error in a page, fails the test that met it. */
function noProblems() {
  assert.deepEqual(problems.splice(0), []);
}

async function signIn(to = page) {
  await to.goto('/');
  await to.getByLabel('E-mail').fill(EMAIL);
  await to.getByLabel('Password').fill(PASSWORD);
  await to.getByRole('button', { name: 'Sign in' }).click();
  await to.locator('.app').waitFor();
}

test('from signing in to the first visible event: four clicks at most', async () => {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill('not the password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click(); // 1
  await page.getByText('Waiting for an event').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click(); // 2
  await page.getByText('Your first event is here').waitFor();
  await page.getByText('148.50').first().waitFor();
  noProblems();
});

test('where should it go: one form makes the destination and the connection', async () => {
  await page.getByLabel('To a URL').fill('http://10.0.0.7/hook');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText(/private or internal address/).waitFor();
  await page.getByLabel('To a URL').fill(`${receiver.url}/first`);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('New events go to').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await waitUntil(() => receiver.received.some((one) => one.url === '/first'));
  noProblems();
});

test('from a failure to its fix to its replay', async () => {
  const api = client(server.url);
  const source = await api('POST', '/api/v1/sources', { name: 'orders' });
  const destination = await api('POST', '/api/v1/destinations', { name: 'erp', url: `${receiver.url}/erp` });
  await api('POST', '/api/v1/connections', { source_id: source.id, destination_id: destination.id });
  receiver.answer.status = 422;
  receiver.answer.body = '{"error":"customer_id is required"}';
  for (let i = 0; i < 7; i++) await fetch(server.url + source.ingest_path, { method: 'POST', body: `{"type":"order.paid","n":${i}}`, headers: { 'Content-Type': 'application/json' } });
  await waitUntil(async () => (await api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}`)).items[0]?.count === 7);

  await page.goto('/failures');
  await page.getByRole('button', { name: '422 content refused' }).click();
  await page.getByText('customer_id is required').waitFor();
  await page.getByRole('link', { name: 'Open the event' }).click();
  await page.getByText(/0 of 1 delivered, 1 rejected/).waitFor();

  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';
  await page.goBack();
  await page.getByRole('button', { name: 'Send five first' }).click();
  await page.getByText('7 were unresolved, 2 are now').waitFor();
  await page.getByRole('button', { name: 'Send all', exact: true }).click();
  await page.getByRole('button', { name: 'Send 2 deliveries' }).click();
  await page.waitForURL('**/replays/*');
  await page.getByText('2 of 2').waitFor();
  await waitUntil(async () => (await api('GET', `/api/v1/dlq?destination_id=${destination.id}`)).items.every((one) => one.latest_status === 'succeeded'));
  await waitUntil(async () => (await api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}`)).items.length === 0);
  noProblems();
});

test('a failure is dismissed, found under Resolved, and its delivery opened by its id', async () => {
  const api = client(server.url);
  const source = await api('POST', '/api/v1/sources', { name: 'returns' });
  const destination = await api('POST', '/api/v1/destinations', { name: 'returns-desk', url: `${receiver.url}/erp` });
  await api('POST', '/api/v1/connections', { source_id: source.id, destination_id: destination.id });
  receiver.answer.status = 410;
  receiver.answer.body = '{"error":"moved"}';
  await fetch(server.url + source.ingest_path, { method: 'POST', body: '{"type":"return.opened"}', headers: { 'Content-Type': 'application/json' } });
  const groups = (query = '') => api('GET', `/api/v1/dlq/groups?destination_id=${destination.id}${query}`);
  await waitUntil(async () => (await groups()).items[0]?.count === 1);
  const delivery = (await groups()).items[0].example_delivery_id;
  receiver.answer.status = 200;
  receiver.answer.body = '{"ok":true}';

  await page.goto('/failures');
  await page.getByRole('button', { name: '410 gone' }).click();
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByRole('button', { name: 'Dismiss 1 failed delivery' }).click();
  await page.getByText('1 failed delivery dismissed').waitFor();
  assert.equal((await groups()).items.length, 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitUntil(async () => (await groups()).items.length === 1);
  await api('POST', '/api/v1/dlq/dismiss', { destination_id: destination.id });
  await page.goto('/failures?resolved=true');
  await page.getByRole('button', { name: '410 gone' }).click();
  await page.getByRole('cell', { name: 'Dismissed' }).waitFor();

  await page.goto(`/deliveries/${delivery}`);
  await page.locator('.dv .marked', { hasText: 'returns-desk' }).waitFor();
  await page.goto(`/events?q=${delivery}`);
  await page.waitForURL((url) => url.pathname.startsWith('/events/'));
  await page.locator('.dv .marked', { hasText: 'returns-desk' }).waitFor();
  noProblems();
});

let made;

test('the test bench shows each rule and what is sent, with every digit', async () => {
  made = await seed(server.url, receiver);
  await page.goto(`/connections/${made.bench.id}`);
  await page.getByText('Would be sent to billing-api').waitFor();
  await page.getByLabel('Value').nth(1).fill('9007199254740993');
  await page.getByText('Would be filtered').waitFor();
  await page.getByRole('button', { name: 'Save Ctrl S' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const key = await fetch(`${server.url}/api/v1/connections/${made.bench.id}`, { headers: { Authorization: 'Bearer slk_e2e_0123456789_0123456789_0123456789' } });
  assert.match(await key.text(), /"value":\s*9007199254740993\b/);
  await page.getByLabel('Value').nth(1).fill('50');
  await page.getByRole('button', { name: 'Save Ctrl S' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  noProblems();
});

test('what a sender wrote is shown and never run', async () => {
  const api = client(server.url);
  const attack = '"><img src=x onerror="document.title=1"><script>document.title=1</script>';
  const source = await api('POST', '/api/v1/sources', { name: attack.slice(0, 60), description: attack });
  const event = await (await fetch(server.url + source.ingest_path, { method: 'POST', body: JSON.stringify({ type: attack, [attack]: attack }), headers: { 'Content-Type': 'text/html', 'X-Event-Type': attack } })).json();
  for (const tab of ['', '?tab=headers', '?tab=raw']) {
    await page.goto(`/events/${event.request_id}${tab}`);
    await page.locator('.view').waitFor();
    assert.equal(await page.locator('.drawer img, .drawer script').count(), 0);
    assert.equal(await page.title(), 'Events | Sluice');
  }
  noProblems();
  await api('DELETE', `/api/v1/sources/${source.id}`);
});

test('with the keyboard alone: sign in, open an event, step, close, jump', async () => {
  const own = await newPage(browser, server.url, problems);
  await own.goto('/');
  await own.waitForFunction(() => document.activeElement?.getAttribute('name') === 'email');
  await own.keyboard.type(EMAIL);
  await own.keyboard.press('Tab');
  await own.keyboard.type(PASSWORD);
  await own.keyboard.press('Enter');
  await own.getByRole('heading', { name: 'Overview' }).waitFor();
  await own.keyboard.press('g');
  await own.keyboard.press('e');
  await own.locator('.list tbody tr').first().waitFor();
  await own.keyboard.press('j');
  await own.locator('.drawer .dv, .drawer .why').first().waitFor();
  const first = own.url();
  await own.keyboard.press('j');
  await own.waitForURL((url) => url.href !== first && url.pathname.startsWith('/events/'));
  await own.keyboard.press('Escape');
  await own.waitForURL('**/events');
  await own.keyboard.press('g');
  await own.keyboard.press('d');
  await own.getByRole('heading', { name: 'Destinations' }).waitFor();
  await own.keyboard.press('Control+k');
  await own.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await own.keyboard.type('billing');
  await own.getByRole('option', { name: 'billing-api', selected: true }).waitFor();
  await own.keyboard.press('Enter');
  await own.waitForURL('**/destinations/*');
  await own.context().close();
  noProblems();
});

test('the live view shows an event that arrives, holds the next one while paused, and goes on', async () => {
  await page.goto('/live');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const send = () => fetch(server.url + made.shop.ingest_path, { method: 'POST', body: '{"live":1}' });
  const rows = page.locator('.list tbody tr');
  await send();
  await rows.nth(0).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await send();
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('button', { name: 'Go on' }).click();
  await rows.nth(1).waitFor();
  noProblems();
});

test('the link of a mail sets a password; its token leaves the address bar', async () => {
  const own = await newPage(browser, server.url, problems);
  await own.goto('/reset#no-such-token');
  await own.getByRole('heading', { name: 'Set a new password' }).waitFor();
  assert.equal(new URL(own.url()).hash, '');
  await own.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await own.getByLabel('New password, again').fill(PASSWORD);
  await own.getByRole('button', { name: 'Set password' }).click();
  await own.getByRole('alert').filter({ hasText: 'was used or is older' }).waitFor();
  await own.context().close();
  problems.splice(0); // the refusals, which the browser logs
});

test('a member is not offered what the role may not do', async () => {
  const own = await newPage(browser, server.url, problems);
  const invite = await page.evaluate(async () => {
    const me = await (await fetch('/api/v1/me')).json();
    const made = await fetch(`/api/v1/workspaces/${me.workspace.id}/invites`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"email":"member@example.com","role":"member"}' });
    return made.json();
  }).catch(() => null);
  assert.ok(invite?.token, 'an invite');
  await own.goto('/');
  await own.getByRole('button', { name: 'Create an account' }).click();
  await own.getByLabel('Your name').fill('Mira');
  await own.getByLabel('E-mail').fill('member@example.com');
  await own.getByLabel('Password').fill(PASSWORD);
  await own.getByLabel('Name of your workspace').fill('Mira’s own');
  await own.getByRole('button', { name: 'Create account' }).click();
  await own.getByText('Waiting for an event').waitFor();
  await own.goto(`/invite#${invite.token}`);
  await own.getByRole('button', { name: 'Accept the invite' }).click();
  await own.locator('.app').waitFor();
  const workspace = own.locator('.ws > .menu-root > button');
  if ((await workspace.innerText()).trim() !== 'Default') {
    await workspace.click();
    await own.getByRole('menuitem', { name: /Default/ }).click();
  }
  await own.locator('.ws', { hasText: 'Default' }).waitFor();
  await own.goto('/settings/api-keys');
  await own.getByText('admins and owners make and delete them').waitFor();
  assert.equal(await own.getByRole('button', { name: 'New key' }).count(), 0);
  assert.equal(await own.getByRole('link', { name: 'Members' }).count(), 0);
  await own.goto('/settings/members');
  await own.getByText('Your role may not see the members').waitFor();
  await own.context().close();
  noProblems();
});

const WIDTHS = { wide: [1440, 900], middle: [1024, 768], narrow: [390, 844] };

function routes() {
  return {
    overview: '/overview',
    live: '/live',
    events: '/events',
    event: `/events/${made.last}`,
    headers: `/events/${made.last}?tab=headers`,
    diff: `/events/${made.last}?tab=resend`,
    failures: '/failures',
    sources: '/sources',
    trash: '/sources?view=trash',
    source: `/sources/${made.shop.id}`,
    verification: `/sources/${made.shop.id}/verification`,
    response: `/sources/${made.shop.id}/response`,
    refusals: `/sources/${made.shop.id}/refusals`,
    destinations: '/destinations',
    'new-destination': '/destinations?new=1',
    destination: `/destinations/${made.fulfilment.id}`,
    'destination-settings': `/destinations/${made.fulfilment.id}/settings`,
    connections: '/connections',
    bench: `/connections/${made.bench.id}`,
    transform: `/connections/${made.bench.id}?tab=transform`,
    replays: '/replays',
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

test('every page in both themes: axe finds nothing serious', async () => {
  const found = [];
  for (const [name, path] of Object.entries({ ...routes(), missing: '/no/such/page' })) {
    await page.goto(path);
    await settled(page);
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      found.push(...(await audit(page, { onlyColors: theme === 'dark' })).map((one) => `${name}, ${theme}: ${one}`));
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than the window`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  assert.deepEqual(found, []);
  noProblems();
});

test('no page is wider than a phone', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [name, path] of Object.entries(routes())) {
    await page.goto(path);
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than 360 px`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  noProblems();
});

test('signing out ends on the sign-in page, which axe accepts', async () => {
  await page.goto('/settings/account');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    assert.deepEqual(await audit(page), []);
  }
  noProblems();
});

test('pictures for the guide', { skip: process.env.SCREENSHOTS === undefined }, async () => {
  mkdirSync(guide, { recursive: true });
  for (const name of readdirSync(guide)) if (name.endsWith('.png')) rmSync(guide + name); // the texts stay
  const shown = { ...routes() };
  for (const [width, [w, h]] of Object.entries(WIDTHS)) {
    for (const theme of ['light', 'dark']) {
      const own = await newPage(browser, server.url, problems, { width: w, height: h, theme });
      const save = async (name) => writeFileSync(`${guide}${name}-${width}-${theme}.png`, shrink(await own.screenshot()));
      await own.goto('/');
      await own.getByLabel('E-mail').waitFor();
      await save('sign-in');
      await signIn(own);
      for (const [name, path] of Object.entries(shown)) {
        if (width === 'middle' && ['headers', 'trash'].includes(name)) continue; // keeps all pictures below 3 MB
        await own.goto(path);
        await settled(own);
        if (name === 'bench' && width !== 'narrow') {
          await own.getByRole('button', { name: 'Test against them' }).click();
          await own.getByText(/would be sent, /).waitFor();
          await own.waitForTimeout(1_500);
        }
        await save(name);
      }
      if (width === 'wide') {
        await own.keyboard.press('Control+k');
        await own.getByRole('listbox').waitFor();
        await save('palette');
      }
      await own.context().close();
    }
  }
});

/** Nothing is loading any more. */
async function settled(on) {
  await on.locator('.main').waitFor();
  await on.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await on.waitForTimeout(250);
}

async function waitUntil(condition) {
  for (let i = 0; i < 150; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('did not happen within 15 s');
}
