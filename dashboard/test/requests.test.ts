// Senders choose headers and bodies, so a command that somebody pastes must send them and do nothing else.
import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { curl, httpie, rawHttp } from '../src/lib/requests';

/** Runs a command in a shell in which the two clients print their arguments and then their input. */
function run(command: string): { words: string[]; input: string } {
  const print = `for one in "$@"; do printf '%s\\0' "$one"; done; printf '\\0'; if [ "$piped" = 1 ]; then cat; fi`;
  const piped = command.startsWith('curl') || command.startsWith('http') ? 0 : 1;
  const text = execFileSync('sh', ['-c', `piped=${piped}; curl() { ${print}; }; http() { ${print}; }\n${command}`], { encoding: 'utf8' });
  const end = text.indexOf('\0\0');
  return { words: text.slice(0, end).split('\0'), input: text.slice(end + 2) };
}

const URL = 'https://a.example/in/x';

describe('a copied curl command', () => {
  it('sends a body that begins with @ and reads no file', () => {
    const { words } = run(curl('POST', URL, [], '@/etc/passwd'));
    expect(words).toEqual(['-X', 'POST', URL, '-H', 'Content-Type:', '--data-raw', '@/etc/passwd']);
  });

  it('leaves out a header whose name could be a file, and sends values that begin with @', () => {
    const { words } = run(curl('GET', URL, [{ name: '@/etc/passwd', value: '' }, { name: 'X-A', value: '@/etc/passwd' }], ''));
    expect(words).toEqual(['-X', 'GET', URL, '-H', 'X-A: @/etc/passwd']);
  });

  it('keeps a header without a value, and a header on one line', () => {
    const { words } = run(curl('GET', URL, [{ name: 'X-Empty', value: '' }, { name: 'X-Two', value: 'a\r\nHost: b' }], ''));
    expect(words).toEqual(['-X', 'GET', URL, '-H', 'X-Empty;', '-H', 'X-Two: a Host: b']);
  });

  it.each(["it's $(id) `id` \\ \"x\"", 'two\nlines\n', 'with a \u0003\nrm -rf x\n', 'NUL \u0000', '\u001b[201~\nid\n'])('sends %j unchanged and runs nothing in it', (body) => {
    const command = curl('POST', URL, [{ name: 'Content-Type', value: 'text/plain' }], body);
    // A terminal acts on these even inside quotes.
    expect(command).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    const { words, input } = run(command);
    expect(words.at(-1) === '@-' ? input : words.at(-1)).toBe(body);
  });

  it('does not expand brackets in a URL', () => {
    expect(curl('GET', `${URL}?a=[1-9]`, [], '')).toBe(`curl -g -X GET '${URL}?a=[1-9]'`);
  });
});

describe('a copied HTTPie command', () => {
  it('sends values that begin with @ or = as headers', () => {
    const { words } = run(httpie('GET', URL, [{ name: 'X-A', value: '@/etc/passwd' }, { name: 'X-B', value: '=1' }, { name: 'X-C', value: '' }], ''));
    expect(words).toEqual(['GET', URL, 'X-A: @/etc/passwd', 'X-B: =1', 'X-C;']);
  });

  it('does not take a header for an option', () => {
    const { words } = run(httpie('GET', URL, [{ name: '--download', value: 'x' }], ''));
    expect(words).toEqual(['GET', URL, '--', '--download: x']);
  });

  it('sends the body unchanged', () => {
    expect(run(httpie('POST', URL, [], "@/etc/passwd '\n")).input).toBe("@/etc/passwd '\n");
    expect(run(httpie('POST', URL, [], '\u0000\u0003')).input).toBe('\u0000\u0003');
  });
});

it('a raw request has one line for each header', () => {
  expect(rawHttp('GET', '/', [{ name: 'A', value: '1\r\nB: 2' }], '')).toBe('GET / HTTP/1.1\r\nA: 1 B: 2\r\n\r\n');
});

it('an API call keeps the path prefix of the server', async () => {
  vi.resetModules();
  vi.stubEnv('DEV', false);
  document.documentElement.dataset.root = '/hooks/';
  const { apiCall } = await import('../src/lib/requests');
  expect(apiCall('GET', '/api/v1/events/1')).toContain(`'${location.origin}/hooks/api/v1/events/1'`);
  delete document.documentElement.dataset.root;
  vi.unstubAllEnvs();
});
