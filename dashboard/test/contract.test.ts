// Holds the pages against the documents of the server: every operation has a page, and roles are as the reference says.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { may, type Permission } from '../src/lib/roles';
import { ACTIONS } from '../src/pages/settings/actions';

const root = join(import.meta.dirname, '..');
const document = JSON.parse(readFileSync(join(root, '../server/src/main/resources/openapi.json'), 'utf8')) as { paths: Record<string, Record<string, unknown>> };
const permissions = readFileSync(join(root, '../docs/reference/permissions.md'), 'utf8');

/** Operations that no page calls, each with its reason. */
const WITHOUT_PAGE: Record<string, string> = {
  'GET /api/openapi.json': 'for programs',
  'GET /api/v1/sources/{id}/dlq': 'GET /api/v1/dlq has the same with source_id',
  'GET /api/v1/sources/{id}/dlq/summary': 'GET /api/v1/dlq/groups says more',
  'GET /api/v1/alert-configs/{id}': 'the list shows all of a channel',
  'POST /api/v1/deliveries/resend-bulk': 'POST /api/v1/dlq/resend does the same over several connections, by the filter of the page',
  'GET /healthz/live': 'for what watches the server',
  'GET /healthz/ready': 'for what watches the server',
  'GET /api/v1/sources/{id}/tail': 'GET /api/v1/stream shows the same of one source',
  'GET /api/v1/sources/{id}/stream': 'GET /api/v1/stream shows the same of one source',
  'GET /in/{token}': 'for senders who open the URL in a browser',
  'PUT /in/{token}': 'for senders',
  'PATCH /in/{token}': 'for senders',
  'DELETE /in/{token}': 'for senders',
};

function sources(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && file.name !== 'schema.d.ts')
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    .join('\n');
}

describe('the API', () => {
  const code = sources(join(root, 'src'));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  it.each(operations)('%s is called by a page, or is listed with its reason', (operation) => {
    const isCalled = code.includes(`'${operation}'`);
    expect(isCalled !== operation in WITHOUT_PAGE, isCalled ? 'listed, but a page calls it' : 'no page calls it').toBe(true);
  });

  it('is all that is listed', () => {
    expect(Object.keys(WITHOUT_PAGE).filter((one) => !operations.includes(one))).toEqual([]);
  });
});

describe('roles', () => {
  const SHOWN_BY: Record<Permission, string> = {
    'manage-keys': '| POST | `/api/v1/api-keys` |',
    'see-members': '| GET | `/api/v1/workspaces/{id}/members` |',
    'manage-members': '| PATCH | `/api/v1/workspaces/{id}/members/{user_id}` |',
    'rename-workspace': '| PATCH | `/api/v1/workspaces/{id}` |',
    'transfer-workspace': '| POST | `/api/v1/workspaces/{id}/transfer` |',
    'delete-workspace': '| DELETE | `/api/v1/workspaces/{id}` |',
    'change-plan': '| PUT | `/api/v1/workspaces/{id}/plan` |',
    'see-audit-log': '| GET | `/api/v1/audit-log` |',
  };

  it.each(Object.entries(SHOWN_BY) as [Permission, string][])('may %s as docs/reference/permissions.md has it', (permission, row) => {
    const cells = permissions.split('\n').find((line) => line.startsWith(row))?.split('|').map((cell) => cell.trim()) ?? [];
    // | method | path | none | key | read key | member | admin | owner | other |
    const allowed = { member: cells[6], admin: cells[7], owner: cells[8] };
    for (const role of ['member', 'admin', 'owner'] as const) expect([role, may(role, permission)]).toEqual([role, allowed[role] === 'yes']);
  });
});

describe('the audit log', () => {
  it('can be narrowed to each action of docs/reference/audit-log.md', () => {
    const reference = readFileSync(join(root, '../docs/reference/audit-log.md'), 'utf8');
    const rows = reference.split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z_.]+)`/g)].map((found) => found[1]));
    expect([...ACTIONS].sort()).toEqual(listed.sort());
  });
});
