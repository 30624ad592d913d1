// Who may do what: mailed links, two roles, workspaces, the keyboard alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './browser.mjs';
import { EMAIL, PASSWORD } from './server.mjs';
import { browser, callAs, noProblems, ownPage, page, problems, routes, server, settled, waitUntil } from './world.mjs';

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
  await own.waitForURL('**/events'); // the overview has a list, too
  await own.locator('.list tbody tr').first().waitFor();
  await own.keyboard.press('j');
  await own.locator('.drawer .dv, .drawer .why').first().waitFor();
  const first = own.url();
  await own.keyboard.press('j');
  await own.waitForURL((url) => url.href !== first && /\/events\/./.test(url.pathname));
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

test('with the keyboard alone: find a failed event and resend it, then send a whole group again', async () => {
  const own = await ownPage();
  const { keyboard } = own;
  /** Presses Tab until the focus is on a button with this name. */
  const tabTo = async (name) => {
    const focused = own.locator('button:focus').filter({ hasText: name });
    for (let presses = 0; presses < 40; presses++) {
      if ((await focused.count()) > 0) return;
      await keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${name}`);
  };
  await keyboard.press('g');
  await keyboard.press('e');
  await own.waitForURL('**/events');
  await own.locator('.list tbody tr').first().waitFor();
  await keyboard.press('/');
  await keyboard.type('status:failed');
  await keyboard.press('Enter');
  await own.waitForURL('**/events?status=failed');
  await own.locator('.list tbody tr', { hasText: '1 failed' }).first().waitFor();
  await keyboard.press('Escape');
  await keyboard.press('j');
  await own.locator('.drawer').getByText('Rejected').first().waitFor();
  const id = new URL(own.url()).pathname.split('/').at(-1);
  const deliveries = async () => (await callAs(own, 'GET', `/api/v1/events/${id}`)).deliveries;
  const before = (await deliveries()).length;
  await keyboard.press('r');
  await own.getByRole('dialog', { name: 'Resend this event' }).getByRole('checkbox').first().waitFor();
  await tabTo(/^Resend to 1 connection$/);
  await keyboard.press('Enter');
  await own.getByText('1 delivery on the way').waitFor();
  await own.getByRole('dialog').waitFor({ state: 'detached' });
  await waitUntil(async () => (await deliveries()).length === before + 1);
  assert.ok((await deliveries()).some((one) => one.trigger === 'resend'));

  await keyboard.press('g');
  await keyboard.press('f');
  await own.getByRole('heading', { name: 'Failures' }).waitFor();
  await own.locator('.g1').first().waitFor();
  await tabTo(/^422 content refused$/);
  await keyboard.press('Enter');
  await own.locator('.g1.on', { hasText: '422 content refused' }).waitFor();
  await tabTo(/^Send all$/);
  await keyboard.press('Enter');
  await own.getByRole('dialog', { name: 'Send all again?' }).getByRole('button', { name: /^Send \d/ }).waitFor();
  await tabTo(/^Send \d+ deliver/);
  await keyboard.press('Enter');
  await own.waitForURL('**/replays/*');
  await own.getByRole('region', { name: 'Progress' }).waitFor();
  await own.context().close();
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
  noProblems();
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
  const workspace = own.locator('.ws .menu-root > button');
  if ((await workspace.innerText()).trim() !== 'Default') {
    await workspace.click();
    await own.getByRole('menuitem', { name: /Default/ }).click();
  }
  await own.locator('.ws', { hasText: 'Default' }).waitFor();
  await own.goto('/settings/api-keys');
  await own.getByText('only admins and owners create and delete them').waitFor();
  assert.equal(await own.getByRole('button', { name: 'New key' }).count(), 0);
  assert.equal(await own.getByRole('link', { name: 'Members' }).count(), 0);
  await own.goto('/settings/members');
  await own.getByText('Your role cannot see the members').waitFor();
  // Where the server refuses the role something, the page says so.
  const refused = new Set();
  own.on('response', (answer) => answer.status() === 403 && refused.add(answer.url()));
  for (const [name, path] of Object.entries(routes())) {
    refused.clear();
    await own.goto(path);
    await settled(own);
    if (refused.size > 0) assert.ok((await own.getByText(/[Yy]our role cannot/).count()) > 0, `${name} asks for ${[...refused]} and does not say why it is missing`);
  }
  await own.context().close();
  noProblems();
});

test('a workspace is made and switched to, and nothing of the other one stays', async () => {
  const own = await ownPage();
  await own.goto('/sources');
  await own.getByRole('link', { name: 'shop-prod' }).waitFor();
  const menu = own.locator('.ws .menu-root > button');
  await menu.click();
  await own.getByRole('menuitem', { name: 'New workspace' }).click();
  await own.getByRole('dialog').getByLabel('Name').fill('Second');
  await own.getByRole('button', { name: 'Create workspace' }).click();
  await own.locator('.ws', { hasText: 'Second' }).waitFor();
  await own.getByText('Waiting for an event').waitFor();
  await own.goto('/sources');
  await own.getByRole('link', { name: 'first' }).waitFor();
  assert.equal(await own.getByText('shop-prod').count(), 0);
  await menu.click();
  await own.getByRole('menuitem', { name: /Default/ }).click();
  await own.locator('.ws', { hasText: 'Default' }).waitFor();
  await own.getByRole('heading', { name: 'Overview' }).waitFor();
  await own.keyboard.press('g');
  await own.keyboard.press('s');
  await own.getByRole('link', { name: 'shop-prod' }).waitFor();
  assert.equal(await own.getByRole('link', { name: 'first', exact: true }).count(), 1, 'only the first source of this workspace');
  const second = (await callAs(own, 'GET', '/api/v1/workspaces')).items.find((one) => one.name === 'Second');
  await callAs(own, 'POST', `/api/v1/workspaces/${second.id}/switch`);
  await callAs(own, 'DELETE', `/api/v1/workspaces/${second.id}`);
  await own.context().close();
  noProblems();
});
