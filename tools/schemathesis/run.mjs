// Schemathesis, an independent fuzzer, against a packaged server: all its phases and checks, once with an API key and once with
// a session. Fails on every finding that accepted.json does not name.
//
//     node tools/schemathesis/run.mjs [--seconds 600] [--seed 1] [--only key|session]
//
// It needs Python 3.10 or newer with venv, and the server: mvn -pl server -am package -DskipTests
import { spawnSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seed as seedWorkspace } from '../../dashboard/e2e/seed.mjs';
import { EMAIL, KEY, PASSWORD, client, startReceiver, startServer } from '../../dashboard/e2e/server.mjs';

const home = fileURLToPath(new URL('.', import.meta.url));
const target = join(home, 'target');
const venv = join(target, 'venv');
const MEMBER = { email: 'member@example.com', password: 'a-password-for-tests', name: 'Member' };
const SETTLE_MILLISECONDS = 30_000;

/** Operations that are not called, by the reason. */
const LEFT_OUT = {
  'its answer has no end': ['streamSources', 'streamSource', 'tailSource'],
  'it would end or move the session of the run': ['logout', 'endSession', 'switchWorkspace', 'leaveWorkspace', 'transferWorkspace'],
  'it would end the key of the run': ['deleteApiKey'],
};

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } } });

function fail(message) {
  console.error(`schemathesis: ${message}`);
  process.exit(2);
}

function install() {
  const python = process.env.PYTHON ?? 'python3';
  if (spawnSync(python, ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))']).status !== 0) {
    fail('needs Python 3.10 or newer with venv as python3. Install it, or name it in PYTHON. Nothing was checked.');
  }
  const requirements = join(home, 'requirements.txt');
  const mark = join(venv, 'installed.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === readFileSync(requirements, 'utf8')) return;
  for (const [program, ...args] of [
    [python, '-m', 'venv', '--clear', venv],
    [join(venv, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
  ]) {
    if (spawnSync(program, args, { stdio: 'inherit' }).status !== 0) fail(`${program} ${args.join(' ')} failed`);
  }
  writeFileSync(mark, readFileSync(requirements, 'utf8'));
}

async function call(url, method, path, body, cookie) {
  const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...(cookie ? { Cookie: cookie } : {}) };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const session = response.headers.getSetCookie().find((one) => one.startsWith('sluice_session='));
  return { json: response.status === 204 ? undefined : await response.json(), cookie: session?.split(';')[0] };
}

/** Makes something of every kind. Returns the session's cookie, and values for parameters by name. */
async function prepare(url, receiver) {
  const api = client(url);
  const made = await seedWorkspace(url, receiver);
  const { cookie } = await call(url, 'POST', '/api/v1/auth/login', { email: EMAIL, password: PASSWORD });
  const me = await (await fetch(`${url}/api/v1/me`, { headers: { Cookie: cookie } })).json();
  const workspace = me.workspace.id;
  const member = await call(url, 'POST', '/api/v1/auth/register', { ...MEMBER, workspace_name: 'Theirs' });
  const invite = (email) => call(url, 'POST', `/api/v1/workspaces/${workspace}/invites`, { email, role: 'member' }, cookie);
  await call(url, 'POST', '/api/v1/invites/accept', { token: (await invite(MEMBER.email)).json.token }, member.cookie);
  const invites = [(await invite('open@example.com')).json.id];
  const alert = await api('POST', '/api/v1/alert-configs', { channel: 'webhook', config: { url: receiver.url } });
  const trashed = await api('POST', '/api/v1/sources', { name: 'trashed' });
  await api('DELETE', `/api/v1/sources/${trashed.id}`);

  const end = Date.now() + SETTLE_MILLISECONDS;
  let failed = [];
  while (failed.length === 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    failed = (await api('GET', '/api/v1/dlq?limit=50')).items;
  }
  if (failed.length === 0) throw new Error('no delivery failed: the seed is incomplete');
  const replay = await api('POST', '/api/v1/dlq/resend', { destination_id: made.billing.id, limit: 5 });
  const ids = async (path) => (await api('GET', path)).items.map((one) => one.id);
  return {
    cookie,
    values: {
      sources: [...(await ids('/api/v1/sources')), trashed.id],
      destinations: await ids('/api/v1/destinations'),
      connections: await ids('/api/v1/connections'),
      events: await ids('/api/v1/events?limit=20'),
      deliveries: failed.map((one) => one.id),
      replays: [replay.replay_id],
      alerts: [alert.id],
      workspaces: [workspace],
      users: [member.json.user.id],
      invites,
      numbers: [1],
      tokens: [made.code.token ?? made.code.ingest_path.split('/').at(-1)],
    },
  };
}

/** Which dictionary each `{id}` takes, by the start of the path. */
const KINDS = { 'alert-configs': 'alerts', workspaces: 'workspaces', sources: 'sources', destinations: 'destinations', connections: 'connections', events: 'events', deliveries: 'deliveries', replays: 'replays' };

function configuration(values, headers, seed) {
  const text = (value) => JSON.stringify(value);
  const binding = (dictionary, probability) => `{ dictionary = "${dictionary}", probability = ${probability} }`;
  return [
    `seed = ${seed}`,
    'continue-on-failure = true',
    'request-timeout = 60',
    'workers = 1',
    `headers = { ${Object.entries(headers).map(([name, value]) => `${text(name)} = ${text(value)}`).join(', ')} }`,
    '[parameters]',
    `"path.token" = ${binding('tokens', 0.8)}`,
    `"path.user_id" = ${binding('users', 0.8)}`,
    `"path.invite_id" = ${binding('invites', 0.8)}`,
    `"path.number" = ${binding('numbers', 0.8)}`,
    ...['source', 'destination', 'connection', 'event'].map((one) => `"query.${one}_id" = ${binding(`${one}s`, 0.6)}`),
    ...['source', 'destination', 'connection', 'event'].map((one) => `"body.${one}_id" = ${binding(`${one}s`, 0.8)}`),
    ...Object.entries(values).map(([name, list]) => `[dictionaries.${name}]\nvalues = ${text(list)}`),
    ...Object.entries(KINDS).map(([path, name]) => `[[operations]]\ninclude-path-regex = "^/api/v1/${path}/[{]id[}]"\nparameters = { "path.id" = ${binding(name, 0.8)} }`),
    '',
  ].join('\n');
}

function schemathesis(url, name, config, seconds) {
  const directory = join(target, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'schemathesis.toml'), config);
  const left = Object.values(LEFT_OUT).flat().flatMap((id) => ['--exclude-operation-id', id]);
  const args = ['--config-file', 'schemathesis.toml', 'run', join(target, 'openapi.json'), '--url', url, '--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--max-time', String(seconds), '--report', 'json,ndjson', '--report-json-path', 'report.json', '--report-ndjson-path', 'report.ndjson', '--warnings', 'off', '--no-color', '--output-sanitize', 'false', '--generation-database', 'none', ...left];
  return new Promise((resolve) => {
    const child = spawn(join(venv, 'bin/schemathesis'), args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (status) => {
      writeFileSync(join(directory, 'output.txt'), output);
      resolve({ status, directory });
    });
  });
}

/** Returns the findings of a report: each check that failed, with the operation and the answer. */
function findings(directory) {
  const found = [];
  for (const line of readFileSync(join(directory, 'report.ndjson'), 'utf8').trim().split('\n')) {
    const recorder = JSON.parse(line).ScenarioFinished?.recorder;
    for (const [id, checks] of Object.entries(recorder?.checks ?? {})) {
      const { request, response } = recorder.interactions?.[id] ?? {};
      const answer = Buffer.from(response?.content?.$base64 ?? '', 'base64').toString();
      for (const { status, failure_info } of checks) {
        if (status === 'failure') found.push({ ...failure_info.failure, answer, url: request?.uri ?? '' });
      }
    }
  }
  return found;
}

const oddities = readFileSync(join(home, '../../docs/oddities.md'), 'utf8').replace(/\s+/g, ' ');
const accepted = JSON.parse(readFileSync(join(home, 'accepted.json'), 'utf8')).map((one) => ({ ...one, uses: 0 }));
for (const { oddity } of accepted) {
  if (!oddities.includes(oddity)) fail(`accepted.json names a sentence that docs/oddities.md does not have: ${oddity}`);
}

/** Returns the entry of accepted.json that names the finding. `operations` left out means all, `url` (a pattern) any. */
function acceptedBy({ code, operation, message, answer, url }) {
  return accepted.find(
    (one) => one.check === code && (one.operations ?? [operation]).includes(operation) && `${message}\n${answer}`.includes(one.says) && new RegExp(one.url ?? '').test(url),
  );
}

/** Prints what is left of a run's findings. Returns their number. */
function judge(name, directory) {
  const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  const left = new Map();
  const found = findings(directory);
  for (const one of found) {
    const entry = acceptedBy(one);
    if (entry) entry.uses++;
    else left.set(`${one.operation} ${one.code} ${one.title}`, one);
  }
  const errors = report.operations.errored + (report.errors?.length ?? 0);
  console.log(`schemathesis: with a ${name}: ${report.test_cases.generated} cases, ${report.operations.tested} operations, ${found.length} findings, ${left.size} kinds not accepted, ${errors} errors`);
  for (const [what, { message, answer, url }] of left) console.log(`\n${what}\n  ${url}\n  ${message.replaceAll('\n', '\n  ')}\n  ${answer.slice(0, 600)}`);
  return left.size + errors;
}

install();
mkdirSync(target, { recursive: true });
const plans = join(target, 'plans.json');
writeFileSync(plans, JSON.stringify({ items: [{ name: 'business', price_monthly_usd: 0, limits: { retention_days: 30 }, features: [] }] }));
const receiver = await startReceiver();
let bad = 0;
const server = await startServer({ SLUICE_PLANS_FILE: plans });
try {
  // Without the example of Idempotency-Key: it would be sent with every body, and all but the first are rightly refused.
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  delete document.components.parameters.IdempotencyKey.example;
  writeFileSync(join(target, 'openapi.json'), JSON.stringify(document));
  const { cookie, values } = await prepare(server.url, receiver);
  const ways = { key: { Authorization: `Bearer ${KEY}` }, session: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' } };
  const wanted = Object.entries(ways).filter(([name]) => !options.only || options.only === name);
  for (const [name, headers] of wanted) {
    const begin = Date.now();
    const { status, directory } = await schemathesis(server.url, name, configuration(values, headers, Number(options.seed)), Math.floor(Number(options.seconds) / wanted.length));
    const me = await fetch(`${server.url}/api/v1/me`, { headers });
    console.log(`schemathesis: with a ${name}: exit ${status}, ${Math.round((Date.now() - begin) / 1000)} s; afterwards /me answers ${me.status}`);
    bad += me.status === 200 ? 0 : 1;
    if (!existsSync(join(directory, 'report.json'))) throw new Error(`no report; see ${join(directory, 'output.txt')}`);
    bad += judge(name, directory);
  }
  writeFileSync(join(target, 'server.log'), server.log());
} finally {
  await server.stop();
  await receiver.stop();
}
for (const { check, says, uses } of accepted) if (uses === 0) console.log(`schemathesis: not met this time: ${check} ${says}`);
process.exit(bad > 0 ? 1 : 0);
