// Holds the pages against the documents of the server: every operation can be reached from a page, and roles are as the reference says.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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
  'GET /api/v1/workspaces/{id}': 'the list shows all of a workspace',
  'POST /api/v1/deliveries/resend-bulk': 'POST /api/v1/dlq/resend does the same over several connections, by the filter of the page',
  'GET /healthz/live': 'for what watches the server',
  'GET /healthz/ready': 'for what watches the server',
  'GET /api/v1/sources/{id}/tail': 'GET /api/v1/stream shows the same of one source',
  'GET /api/v1/sources/{id}/stream': 'GET /api/v1/stream shows the same of one source',
  'GET /in/{token}': 'for senders who open the URL in a browser',
  'POST /in/{token}': 'for senders; POST /api/v1/sources/{id}/test-event sends as they do',
  'PUT /in/{token}': 'for senders',
  'PATCH /in/{token}': 'for senders',
  'DELETE /in/{token}': 'for senders',
};

/** The parts of the frame that are on no route: each is a page of its own, or around every page. */
const FRAME: Record<string, string> = {
  'sign-in': 'shell/SignIn.tsx',
  'a mailed link': 'shell/ResetPassword.tsx',
  'the shell': 'shell/App.tsx',
};

/** Each read is a hook of its own in this file: who imports the file uses those that it names. */
const HOOKS = 'api/queries.ts';

type Part = { code: string; uses: string[] };

/** The program as files, and the file of hooks as its hooks. */
function parts(): Map<string, Part> {
  const source = join(root, 'src');
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && file.name !== 'schema.d.ts')
    .map((file) => relative(source, join(file.parentPath, file.name)));
  const all = new Map<string, Part>();
  for (const path of files) {
    const code = readFileSync(join(source, path), 'utf8');
    if (path === HOOKS) {
      for (const hook of code.split(/^export (?=const|function)/m).slice(1)) all.set(`${HOOKS}#${/^(?:const|function) (\w+)/.exec(hook)?.[1]}`, { code: hook, uses: [] });
      continue;
    }
    // What only the shell's router imports lazily is reached by its route, and by nothing else.
    const found = [...code.matchAll(/^import (?:type )?(?:\{([^}]*)\} )?.*?'(\.[^']+)'/gm)];
    const uses = found.flatMap(([, names = '', to = '']) => {
      const target = files.find((file) => file.replace(/\.tsx?$/, '') === join(dirname(path), to));
      if (target !== HOOKS) return target === undefined ? [] : [target];
      return names.split(',').map((name) => `${HOOKS}#${name.replace('type ', '').trim()}`);
    });
    all.set(path, { code, uses });
  }
  return all;
}

/** The code that is reached from a file. */
function reach(all: Map<string, Part>, from: string): string {
  const seen = new Set<string>();
  const waiting = [from];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    waiting.push(...(all.get(one)?.uses ?? []));
  }
  return [...seen].map((one) => all.get(one)?.code ?? '').join('\n');
}

/** Each route of the shell, and the file that shows it. */
function routes(app: string): [route: string, file: string][] {
  return [...app.matchAll(/<Route path="([^"]+)" component=\{(\w+)\}/g)].flatMap(([, route = '', name = '']) => {
    const file = new RegExp(`${name} = lazy\\(\\(\\) => import\\('\\.\\./(pages/[^']+)'|import \\{ ${name} \\} from '\\.\\./(pages/[^']+)'`).exec(app);
    const path = file?.[1] ?? file?.[2];
    return path === undefined ? [] : [[route, `${path}.tsx`] as [string, string]];
  });
}

describe('the API', () => {
  const all = parts();
  const pages = new Map([...routes(all.get('shell/App.tsx')?.code ?? ''), ...Object.entries(FRAME)].map(([name, file]) => [name, reach(all, file)]));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  it('is called by the pages of all routes', () => {
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['/overview', '/live', '/events/:id?', '/failures', '/sources/:id/:tab?', '/destinations/:id/:tab?', '/connections/:id', '/replays/:id?', '/alerts', '/settings/:tab?', '/welcome']));
    expect([...pages].filter(([, code]) => code === '').map(([name]) => name)).toEqual([]);
  });

  it.each(operations)('%s is called by a page, or is listed with its reason', (operation) => {
    const callers = [...pages].filter(([, code]) => code.includes(`'${operation}'`)).map(([name]) => name);
    if (operation in WITHOUT_PAGE) expect(callers, 'listed, but these pages call it').toEqual([]);
    else expect(callers, 'no page calls it').not.toEqual([]);
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
