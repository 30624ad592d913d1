import { afterEach, describe, expect, it, vi } from 'vitest';
import { filterOf, inQuery, mark, rateOf } from '../src/lib/deadLetters';
import { deliveryPath, isWholeId } from '../src/lib/deliveryLink';
import { resendSize } from '../src/pages/failures/SendDialog';
import { progressOf, rateInWords, scopeOf, secondsLeft, sentenceOf, shareOf } from '../src/pages/replays/words';

const ID = '018f3c5e-7a04-7000-8000-000000004001';

afterEach(() => vi.unstubAllGlobals());

/** A server that gives these answers one after the other, and keeps what it was asked. */
function answering(...answers: object[]): { path: string; body: unknown }[] {
  const asked: { path: string; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    asked.push({ path, body: JSON.parse(body) });
    return new Response(JSON.stringify(answers[asked.length - 1]));
  });
  return asked;
}

describe('the filter of dead letters', () => {
  it('is everything without a source and a group', () => {
    expect(inQuery({})).toEqual({ status: undefined });
    expect(inQuery({ source_id: 's', status: ['failed'] })).toEqual({ source_id: 's', status: 'failed' });
  });

  it('names a group by its destination, code and status, as far as it has them', () => {
    expect(filterOf({}, { destination_id: 'd', error_code: 'http_status', response_status: 410 })).toEqual({ destination_id: 'd', error_code: 'http_status', response_status: 410 });
    expect(filterOf({ source_id: 's' }, { destination_id: 'd', error_code: 'dns_failure', response_status: null })).toEqual({ source_id: 's', destination_id: 'd', error_code: 'dns_failure' });
  });
});

describe('dismissing', () => {
  it('goes on where the server stopped until it has looked at all', async () => {
    const asked = answering(
      { dismissed: 4000, is_complete: false, next_cursor: 'one' },
      { dismissed: 0, is_complete: false, next_cursor: 'two' },
      { dismissed: 12, is_complete: true, next_cursor: null },
    );
    const seen: number[] = [];
    expect(await mark('dismiss', { source_id: 's' }, (number) => seen.push(number))).toBe(4012);
    expect(asked).toEqual([{}, { cursor: 'one' }, { cursor: 'two' }].map((cursor) => ({ path: '/api/v1/dlq/dismiss', body: { source_id: 's', ...cursor } })));
    expect(seen).toEqual([4000, 4000]);
  });

  it('takes dismissals back in the same way', async () => {
    answering({ undismissed: 5, is_complete: false, next_cursor: 'one' }, { undismissed: 0, is_complete: true, next_cursor: null });
    expect(await mark('undismiss', {})).toBe(5);
  });
});

describe('sending again', () => {
  it('counts what would be made', () => {
    expect(resendSize({ would_create: 1, is_exact: true })).toBe('1 delivery');
    expect(resendSize({ would_create: 48_211, is_exact: false })).toBe('at least 48\u202f211 deliveries');
  });

  it('has no rate unless one is typed, and leaves the judgement to the server', () => {
    expect([' ', '10', '0', '1.5', 'fast'].map(rateOf)).toEqual([null, 10, 0, '1.5', 'fast']);
  });
});

describe('a replay', () => {
  const replay = { status: 'running', planned: 5, is_exact: true, created: 3, skipped: 1 } as const;

  it('says what it is about', () => {
    expect(scopeOf({ statuses: ['failed', 'exhausted'], error_code: null, response_status: null, limit: null })).toBe('failed, exhausted');
    expect(scopeOf({ statuses: ['failed'], error_code: 'http_status', response_status: 422, limit: 5 })).toBe('failed, 422 content refused, the first 5');
    expect(rateInWords(null) + rateInWords(10)).toBe(', at most 10 per second');
  });

  it('says how far it is, and is whole only when it is completed', () => {
    expect(progressOf(replay)).toBe('4 of 5, 1 left out');
    expect(progressOf({ ...replay, skipped: 0, is_exact: false })).toBe('3 of at least 5');
    expect(shareOf(replay)).toBe(0.8);
    expect(shareOf({ ...replay, planned: 0 })).toBe(0);
    expect(shareOf({ ...replay, status: 'completed', planned: 0 })).toBe(1);
  });
});

describe('a delivery', () => {
  it('leads to its event, and is found by its whole id alone', () => {
    expect(deliveryPath({ id: ID, event_id: 'e' })).toBe(`/events/e?delivery=${ID}`);
    expect([ID, ID.toUpperCase(), ID.slice(0, 8), `${ID}0`].map(isWholeId)).toEqual([true, true, false, false]);
  });
});

describe('the page of a replay', () => {
  const said = (status: 'running' | 'paused' | 'completed' | 'cancelled' | 'failed', created: number, reason: string | null = null) => sentenceOf({ status, created, reason });

  it('says what happens to what was created, and the reason of the server first', () => {
    expect(said('running', 3)).toContain('retried like any other');
    expect(said('paused', 1, 'The circuit is open.')).toBe('The circuit is open. The 1 delivery created so far goes out.');
    expect(said('failed', 0, 'Its connection was deleted.')).toBe('Its connection was deleted. No delivery was created.');
    expect(said('cancelled', 2)).toBe('Cancelled. The 2 deliveries created so far go out.');
    expect(said('completed', 0)).toBe('There was nothing left to send.');
  });

  it('says how long it still takes only if that is known', () => {
    expect(secondsLeft({ created: 10, skipped: 2, planned: 100 }, 9)).toBe(10);
    expect(secondsLeft({ created: 10, skipped: 2, planned: 100 }, null)).toBeNull();
    expect(secondsLeft({ created: 10, skipped: 2, planned: 100 }, 0)).toBeNull();
    expect(secondsLeft({ created: 100, skipped: 0, planned: 100 }, 9)).toBeNull();
  });
});
