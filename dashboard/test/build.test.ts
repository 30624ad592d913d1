// @vitest-environment node
/** What the script that Maven calls does on a machine without Node.js. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('without Node.js the build says so in one line, and goes on without pages', () => {
  for (const task of ['build', 'test', 'e2e']) {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['build/run.sh', task], { encoding: 'utf8', env: { PATH: '/nowhere' } });
    expect([task, status, stdout]).toEqual([task, 0, '']);
    expect(stderr).toMatch(/^dashboard: no Node\.js on this machine, so the server is built without its pages\. Install Node\.js 20\.19 or newer[^\n]*\n$/);
  }
});
