import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diff, diffBodies } from '../src/lib/diff';
import { diffHeaders } from '../src/lib/headers';
import { hexDump } from '../src/lib/bytes';
import { quote } from '../src/lib/requests';
import { deliveriesInWords, deliveryState, errorLabel } from '../src/lib/states';
import { count, shortId, size, visible } from '../src/lib/text';
import { ago, countdown, duration, seconds, windowStart, withTimes } from '../src/lib/time';
import { newerCount, qualifier } from '../src/pages/events/EventsPage';
import { headline } from '../src/pages/events/sentence';
import { marksOf } from '../src/pages/events/Timeline';
import { parseIntervals } from '../src/pages/destinations/RetryRuler';
import { browserOf } from '../src/pages/settings/Account';
import { addSample, paceOf } from '../src/pages/replays/ReplayRow';
import { DEFAULT_BODY } from '../src/pages/sources/ResponseForm';
import type { Schemas } from '../src/api/client';

const NOW = Date.parse('2026-11-22T12:00:00.000Z');

describe('times', () => {
  it.each([
    ['2026-11-22T12:00:05.000Z', 'now'],
    ['2026-11-22T11:59:58.000Z', '2 s ago'],
    ['2026-11-22T11:53:00.000Z', '7 min ago'],
    ['2026-11-21T10:00:00.000Z', '26 h ago'],
    ['2026-11-10T12:00:00.000Z', '12 d ago'],
  ])('%s is %s, and never negative', (time, words) => expect(ago(time, NOW)).toBe(words));

  it.each([
    [-5, '0 ms'],
    [84, '84 ms'],
    [10_000, '10.0 s'],
    [313_000, '5 min 13 s'],
    [19_860_000, '5 h 31 min'],
  ])('%d ms last %s', (span, words) => expect(duration(span)).toBe(words));

  it('count down to zero and not below', () => {
    expect(countdown('2026-11-22T12:02:23.000Z', NOW)).toBe('2:23');
    expect(countdown('2026-11-22T13:02:03.000Z', NOW)).toBe('1:02:03');
    expect(countdown('2026-11-22T11:00:00.000Z', NOW)).toBe('0:00');
  });

  it('read windows', () => {
    expect(windowStart('1h', NOW)).toBe('2026-11-22T11:00:00.000Z');
    expect(windowStart('2026-11-01T00:00:00Z', NOW)).toBe('2026-11-01T00:00:00Z');
  });

  it('in the sentences of the API are written as all others', () => {
    expect(withTimes('Retry 2 of 6 at 2026-11-22T12:04:36.101Z: destination answered 503.', 'utc', NOW)).toBe('Retry 2 of 6 at 12:04:36: destination answered 503.');
    expect(withTimes('Paused since 2026-11-20T08:00:00Z.', 'utc', NOW)).toBe('Paused since 20 Nov, 08:00.');
  });

  it('write and read schedules', () => {
    expect([30, 120, 600, 3600, 14_400].map(seconds).join(', ')).toBe('30 s, 2 min, 10 min, 1 h, 4 h');
    expect(parseIntervals('30 s, 2 min, 1 h 30 min, 90')).toEqual([30, 120, 5400, 90]);
    expect(parseIntervals('')).toEqual([]);
    expect(parseIntervals('soon')).toBeNull();
  });
});

describe('text', () => {
  it('groups digits, measures and shortens', () => {
    expect(count(28_466)).toBe('28\u202f466');
    expect([740, 1200, 1_048_576].map(size)).toEqual(['740 B', '1.2 KB', '1.0 MB']);
    expect(shortId('01a20324-0d78-7c3a-9d0e-5b1f6a2c8d44')).toBe('01a20324…2c8d44');
  });

  it('shows control and direction characters as escapes', () => {
    expect(visible('a\u202eb\u0000c\n')).toBe('a\\u202eb\\u0000c\n');
  });

  it('quotes for a shell whatever a sender wrote', () => {
    expect(quote("it's $(rm -rf ~) `x`")).toBe(`'it'\\''s $(rm -rf ~) \`x\`'`);
  });

  it('dumps bytes', () => {
    expect(hexDump(new Uint8Array([0, 65, 255]), 16)).toBe(`00000000  00 41 ff${' '.repeat(39)}  .A.`);
  });

  it('names browsers', () => {
    expect(browserOf('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36')).toBe('Chrome on Linux');
    expect(browserOf('curl/8.1')).toBe('curl/8.1');
  });
});

describe('differences', () => {
  it('are the shortest', () => {
    expect(diff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'same', text: 'c' },
      { kind: 'same', text: 'd' },
      { kind: 'added', text: 'e' },
    ]);
  });

  it('of JSON ignore the comma that a following member adds', () => {
    expect(diffBodies({ body: '{"a":1}' }, { body: '{"a":1,"b":2}' })).toEqual([
      { kind: 'same', text: '{' },
      { kind: 'same', text: '  "a": 1,' },
      { kind: 'added', text: '  "b": 2' },
      { kind: 'same', text: '}' },
    ]);
    expect(diffBodies({ body: 'a,' }, { body: 'a' }).map((line) => line.kind)).toEqual(['removed', 'added']);
  });

  it('of binary bodies of equal length are shown', () => {
    const body = (bytes: number[]) => ({ body: '', body_base64: btoa(String.fromCharCode(...bytes)) });
    expect(diffBodies(body([255, 1]), body([255, 2])).map((line) => line.kind)).toEqual(['removed', 'added']);
    expect(diffBodies(body([255, 1]), body([255, 1])).map((line) => line.kind)).toEqual(['same']);
    const long = Array.from({ length: 5_000 }, () => 255);
    expect(diffBodies(body([...long, 1]), body([...long, 2])).at(-1)).toEqual({ kind: 'added', text: 'other bytes' });
  });

  it('of headers ignore the hop, the case of names and the order', () => {
    const lines = diffHeaders(
      [{ name: 'host', value: 'a' }, { name: 'X-Topic', value: '1' }, { name: 'Accept', value: '*/*' }],
      [{ name: 'accept', value: '*/*' }, { name: 'Host', value: 'b' }, { name: 'X-Api-Key', value: 'secret' }],
    );
    expect(lines).toEqual([
      { kind: 'removed', text: 'X-Topic: 1' },
      { kind: 'same', text: 'Accept: */*' },
      { kind: 'added', text: 'X-Api-Key: ***' },
    ]);
  });
});

describe('deliveries', () => {
  const delivery = (change: Partial<Schemas['Delivery']>): Schemas['Delivery'] => ({
    id: '1', connection_id: 'c', destination_id: 'd', destination_name: 'billing-api', status: 'pending', trigger: 'ingest', attempt_count: 0,
    next_attempt_at: null, hold: null, created_at: '2026-11-22T11:59:00.000Z', finished_at: null, reason: 'Waiting.', attempts: [], ...change,
  });
  const event = (deliveries: Schemas['Delivery'][]) => ({ verification_status: 'verified', deliveries }) as unknown as Schemas['Event'];

  it('have the state that the words of the API mean', () => {
    expect(deliveryState(delivery({ hold: 'circuit_open', attempt_count: 2 }))).toBe('held');
    expect(deliveryState(delivery({ attempt_count: 2 }))).toBe('retry');
    expect(deliveryState(delivery({ status: 'exhausted' }))).toBe('gaveup');
    expect(deliveriesInWords([delivery({ status: 'succeeded' }), delivery({ status: 'filtered' })])).toBe('1 delivered, 1 filtered');
    expect(errorLabel('http_status', 422)).toBe('422 content refused');
    expect(errorLabel('connect_refused', null)).toBe('Connection refused');
  });

  it('make one sentence, with the newest of each connection', () => {
    const failed = delivery({ id: '1', status: 'failed', reason: 'Failed: Destination answered 422.' });
    expect(headline(event([failed, delivery({ id: '2', status: 'succeeded' })]), NOW, 'utc')).toEqual({ summary: '1 of 1 delivered.' });
    expect(headline(event([failed]), NOW, 'utc')).toEqual({ summary: '0 of 1 delivered, 1 rejected.', name: 'billing-api', rest: ': destination answered 422.' });
    const retry = delivery({ attempt_count: 3, next_attempt_at: '2026-11-22T12:04:46.000Z' });
    expect(headline(event([retry]), NOW, 'utc').rest).toBe(' gets attempt 4 in 4:46.');
    expect(headline(event([]), NOW, 'utc').summary).toContain('No connection');
  });

  it('merge attempts that are too close to tell apart', () => {
    const attempt = (number: number, at: number) => ({ attempt_number: number, attempted_at: new Date(at).toISOString(), latency_ms: 1, error_code: 'connect_refused' }) as Schemas['Attempt'];
    const marks = marksOf([attempt(1, 0), attempt(2, 5), attempt(3, 100)], (time) => time);
    expect(marks.map((mark) => mark.numbers)).toEqual([[1, 2], [3]]);
  });
});

describe('the query field', () => {
  const sources = [{ id: 's1', name: 'shop-prod' }];
  const destinations = [{ id: 'd1', name: 'erp' }];
  it.each([
    ['source:shop', { source: 's1', page: undefined }],
    ['destination:ERP', { destination: 'd1', page: undefined }],
    ['status:failed', { status: 'failed', page: undefined }],
    ['after:1h', { after: '1h', page: undefined }],
    ['01a20324', { q: '01a20324', page: undefined }],
    ['id:01a2', { q: '01a2', page: undefined }],
  ])('reads %s', (text, change) => expect(qualifier(text, sources, destinations)).toEqual(change));
});

it('events are new only if they are newer than the first one shown', () => {
  const ids = (...all: string[]) => all.map((id) => ({ id }));
  expect(newerCount(ids('4', '3', '2'), ids('2', '1'))).toBe(2);
  // The first one shown no longer matches the filter.
  expect(newerCount(ids('1'), ids('2', '1'))).toBe(0);
});

it('the pace of a replay leaves out the time in which it was paused', () => {
  const seen = (status: 'running' | 'paused', second: number, created: number) => ({ status, updated_at: new Date(NOW + second * 1000).toISOString(), created, skipped: 0 });
  const before = [seen('running', 0, 0), seen('running', 2, 20)].reduce(addSample, []);
  expect(paceOf(before)).toBe(10);
  const after = [seen('paused', 3, 20), seen('running', 600, 20), seen('running', 602, 60)].reduce(addSample, before);
  expect(paceOf(after)).toBe(20);
});

it('the response form starts from the response that the server sends by default', () => {
  const java = readFileSync(join(import.meta.dirname, '../../server/src/main/java/dev/sluice/engine/accept/IngestReplies.java'), 'utf8');
  const [start = '', end = ''] = DEFAULT_BODY.split('{{request_id}}');
  expect(java).toContain(JSON.stringify(start));
  expect(java).toContain(JSON.stringify(end));
});
