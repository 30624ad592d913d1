// Two tabs of one person: each shows and changes the workspace in its own address, whatever the other one does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTab } from './browser.mjs';
import { callAs, noProblems, ownPage, problems, server, settled } from './world.mjs';

const nameOf = (tab) => tab.locator('.ws .name');

async function switchTo(tab, name) {
  await tab.locator('.ws .menu-root > button').click();
  await tab.getByRole('menuitem', { name: new RegExp(name) }).click();
  await nameOf(tab).filter({ hasText: name }).waitFor();
}

async function createDestination(tab, name) {
  await tab.keyboard.press('g');
  await tab.keyboard.press('d');
  await tab.getByRole('heading', { name: 'Destinations' }).waitFor();
  await tab.getByRole('link', { name: 'New destination' }).first().click();
  await tab.getByRole('dialog').locator('[name=name]').fill(name);
  await tab.getByRole('dialog').locator('[name=url]').fill('https://example.com/hook');
  await tab.getByRole('button', { name: 'Create destination' }).click();
  await tab.getByRole('heading', { name }).waitFor();
}

/** The names of a workspace's destinations, as the server has them. */
async function destinationsOf(tab, workspace) {
  const list = await tab.evaluate(async (id) => (await fetch('/api/v1/destinations', { headers: { 'X-Sluice-Workspace': id } })).json(), workspace);
  return list.items.map((one) => one.name);
}

test('a tab stays in its workspace, reading and writing, while another tab switches', async () => {
  const a = await ownPage();
  const main = (await callAs(a, 'GET', '/api/v1/me')).workspace;
  const staging = await callAs(a, 'POST', '/api/v1/workspaces', { name: 'Staging' });
  await a.waitForURL(`**/w/${main.id}/*`);
  const b = await newTab(a.context(), problems);
  await b.goto('/');
  await switchTo(b, 'Staging');
  await b.waitForURL(`**/w/${staging.id}/*`);

  await a.bringToFront();
  await createDestination(a, 'made-in-a');
  await b.bringToFront();
  await createDestination(b, 'made-in-b');

  assert.equal(await nameOf(a).innerText(), main.name);
  assert.equal(await nameOf(b).innerText(), 'Staging');
  const [inMain, inStaging] = [await destinationsOf(a, main.id), await destinationsOf(a, staging.id)];
  assert.ok(inMain.includes('made-in-a') && !inMain.includes('made-in-b'), `${inMain}`);
  assert.deepEqual(inStaging, ['made-in-b']);
  for (const [tab, mine, other] of [[a, 'made-in-a', 'made-in-b'], [b, 'made-in-b', 'made-in-a']]) {
    await tab.bringToFront();
    await tab.keyboard.press('g');
    await tab.keyboard.press('d');
    await tab.getByRole('link', { name: mine, exact: true }).waitFor();
    await tab.reload();
    await tab.getByRole('link', { name: mine, exact: true }).waitFor();
    assert.equal(await tab.getByText(other).count(), 0);
    await tab.keyboard.press('g');
    await tab.keyboard.press('l');
    await tab.getByRole('heading', { name: 'Live' }).waitFor();
    if (process.env.TAB_PICTURES) await tab.screenshot({ path: `${process.env.TAB_PICTURES}/${mine}.png` });
  }

  await switchTo(b, main.name);
  await b.waitForURL(`**/w/${main.id}/*`);
  await b.goBack();
  await nameOf(b).filter({ hasText: 'Staging' }).waitFor();
  await callAs(a, 'DELETE', `/api/v1/workspaces/${staging.id}`);
  await a.context().close();
  noProblems();
});

test('an address without a workspace opens the current one, and keeps its page and its query', async () => {
  const own = await ownPage();
  const { workspace } = await callAs(own, 'GET', '/api/v1/me');

  await own.goto('/sources?q=a%26b');

  await own.waitForURL(`**/w/${workspace.id}/sources?q=a%26b`);
  await own.context().close();
  noProblems();
});

test('the address of a workspace that is not the person’s says so and leads back', async () => {
  const own = await ownPage();
  for (const id of ['018f3c5e-7a05-7000-8000-000000000005', 'nonsense']) {
    await own.goto(`/w/${id}/events`);
    await own.getByRole('heading', { name: 'You are not a member of this workspace' }).waitFor();
  }
  if (process.env.TAB_PICTURES) await own.screenshot({ path: `${process.env.TAB_PICTURES}/no-member.png` });
  await own.getByRole('button', { name: 'Open Default' }).click();
  await own.locator('.ws', { hasText: 'Default' }).waitFor();
  await settled(own);
  assert.ok(own.url().startsWith(`${server.url}/w/`));
  await own.context().close();
  noProblems();
});
