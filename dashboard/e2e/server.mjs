// Starts the real server on an empty database, and a receiver whose answers a test chooses.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('../../', import.meta.url));

export const EMAIL = 'owner@example.com';
export const PASSWORD = 'a-password-for-tests';
export const KEY = 'slk_e2e_0123456789_0123456789_0123456789';

const START_MILLISECONDS = 300_000;

/** The class path of the packaged server, as bin/sluice has it; SLUICE_CLASS_PATH replaces it. */
function classPath() {
  if (process.env.SLUICE_CLASS_PATH) return process.env.SLUICE_CLASS_PATH;
  const target = join(home, 'server/target');
  const jar = existsSync(target) && readdirSync(target).find((name) => /^sluice-server-.*\.jar$/.test(name));
  if (!jar) throw new Error('The server is not built. Run: mvn -pl server -am package -DskipTests');
  return `${join(target, jar)}:${join(target, 'lib')}/*`;
}

/** Its port and its data stay when it is killed and started again. `settings` are environment variables that replace or add to those of the tests. */
export async function startServer(settings = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-e2e-'));
  let running = await start(directory, 0, settings);
  const { port } = running;
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => running.log(),
    kill: () => end(running, 'SIGKILL'),
    async startAgain() {
      running = await start(directory, port, settings);
    },
    async stop() {
      await end(running, 'SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function end({ process }, signal) {
  process.removeAllListeners('exit');
  const ended = new Promise((resolve) => process.once('exit', resolve));
  process.kill(signal);
  await ended;
}

async function start(directory, port, settings) {
  const java = execFileSync(join(home, 'bin/jdk'), { encoding: 'utf8' }).trim();
  const server = spawn(java, ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-cp', classPath(), 'dev.sluice.Main'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SLUICE_DATA_DIR: join(directory, 'data'),
      SLUICE_PORT: String(port),
      SLUICE_ADMIN_EMAIL: EMAIL,
      SLUICE_ADMIN_PASSWORD: PASSWORD,
      SLUICE_ADMIN_API_KEY: KEY,
      SLUICE_REGISTRATION: 'open',
      SLUICE_ALLOW_PRIVATE_DESTINATIONS: '127.0.0.0/8',
      SLUICE_CIRCUIT_COOLDOWN: '600s',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const actual = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server did not start:\n${log}`)), START_MILLISECONDS);
    const read = (chunk) => {
      log += chunk;
      const found = /server\.started.*port="?(\d+)/.exec(log);
      if (found) {
        clearTimeout(timer);
        resolve(Number(found[1]));
      }
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', (code) => reject(new Error(`The server ended with ${code}:\n${log}`)));
  });
  return { process: server, port: actual, log: () => log };
}

/** Answers with `answer.status` and `answer.body`, which tests change. Paths that end in /refused always answer 422. */
export async function startReceiver() {
  const answer = { status: 200, body: '{"ok":true}' };
  const received = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const always = { '/refused': 422, '/down': 503 }[request.url];
      response.writeHead(always ?? answer.status, { 'Content-Type': 'application/json' });
      const body = { '/refused': '{"error":{"code":"invalid","field":"customer_id","message":"is required"}}', '/down': '{"error":"upstream_unavailable"}' }[request.url];
      response.end(body ?? answer.body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    answer,
    received,
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Calls the API with the key of the first workspace. */
export function client(url) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
}
