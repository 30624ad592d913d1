import { readFileSync } from 'node:fs';
import { openBrowser, newPage, audit } from '/work/wt/dashboard/dashboard/e2e/browser.mjs';
import { EMAIL, PASSWORD } from '/work/wt/dashboard/dashboard/e2e/server.mjs';
const { url, made } = JSON.parse(readFileSync('/tmp/dev.json'));
const pages = { signin: null, events: '/events', event: `/events/${made.last}`, diff:`/events/${made.last}?tab=resend`, headers:`/events/${made.last}?tab=headers`, failures: '/failures', sources: '/sources', source: `/sources/${made.shop.id}`, verification: `/sources/${made.shop.id}/verification`, response:`/sources/${made.shop.id}/response`, destinations: '/destinations', destination: `/destinations/${made.fulfilment.id}`, destsettings: `/destinations/${made.fulfilment.id}/settings`, connections: '/connections', bench: `/connections/${made.bench.id}`, transform:`/connections/${made.bench.id}?tab=transform`, replays: '/replays', settings: '/settings', keys: '/settings/api-keys', members:'/settings/members', account: '/settings/account', appearance: '/settings/appearance', welcome: '/welcome', newdest: '/destinations?new=1' };
const want = process.argv[2] ? process.argv[2].split(',') : Object.keys(pages);
const theme = process.argv[3] ?? 'light'; const width = Number(process.argv[4] ?? 1440);
const browser = await openBrowser(); const problems = [];
const page = await newPage(browser, url, problems, { theme, width, height: width < 700 ? 844 : 900 });
await page.goto('/');
await page.getByLabel('E-mail').waitFor();
if (want.includes('signin')) { await page.screenshot({ path: `/tmp/shots/signin-${theme}-${width}.png` }); console.log('signin', await audit(page)); }
await page.getByLabel('E-mail').fill(EMAIL); await page.getByLabel('Password').fill(PASSWORD); await page.keyboard.press('Enter');
await page.locator('.app').waitFor();
for (const name of want) { if (!pages[name]) continue;
  await page.goto(pages[name]); await page.locator('.main, dialog').first().waitFor(); await page.waitForTimeout(900);
  await page.screenshot({ path: `/tmp/shots/${name}-${theme}-${width}.png` });
  console.log(name, await audit(page));
}
console.log('PROBLEMS', problems);
await browser.close();
