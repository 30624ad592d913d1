import { describe, expect, it } from 'vitest';
import { add, clear, EMPTY, MAX_ROWS, pause, resume, type Feed, type Message } from '../src/pages/live/feed';

const event = (id: number | string): Message => ({ kind: 'event', event: { id: String(id) } as never });
const outcome = (event_id: number | string, status = 'succeeded'): Message => ({ kind: 'delivery', delivery: { event_id: String(event_id), status } as never });
const ids = (feed: Feed) => feed.rows.map((one) => one.id);

describe('the rows of the live view', () => {
  it('have the newest first', () => expect(ids(add(add(EMPTY, [event(1), event(2)]), [event(3)]))).toEqual(['3', '2', '1']));

  it('never become more than the limit, also in one batch', () => {
    const many = Array.from({ length: MAX_ROWS + 20 }, (_, i) => event(i));
    const feed = add(add(EMPTY, many), many.map((_, i) => event(`later ${i}`)));
    expect(feed.rows).toHaveLength(MAX_ROWS);
    expect(ids(feed)[0]).toBe(`later ${MAX_ROWS + 19}`);
  });

  it('show an event once, also when it comes again after a reconnect', () => {
    const feed = add(add(EMPTY, [event(1), outcome(1)]), [event(1)]);
    expect(feed.rows).toMatchObject([{ id: '1', outcomes: ['succeeded'] }]);
  });

  it('get the outcomes of their deliveries; those of other events change nothing', () => {
    const feed = add(add(EMPTY, [event(1), event(2)]), [outcome(1), outcome(1, 'failed'), outcome('gone')]);
    expect(feed.rows).toMatchObject([{ outcomes: [] }, { outcomes: ['succeeded', 'failed'] }]);
  });

  it('keep what did not change, so that it is not drawn again', () => {
    const before = add(EMPTY, [event(1), event(2)]);
    expect(add(before, [outcome(2)]).rows[1]).toBe(before.rows[1]);
  });

  it('say where something may be missing', () => {
    const gap: Message = { kind: 'gap', reason: 'retention' };
    const feed = add(EMPTY, [event(1), gap, event(2), gap, event(3)]);
    expect(feed.rows.map((one) => one.kind)).toEqual(['event', 'gap', 'event', 'gap', 'event']);
    expect(new Set(ids(feed)).size).toBe(5);
  });
});

describe('a paused view', () => {
  it('stands still, counts what comes, and shows it afterwards with its outcomes', () => {
    const still = pause(add(EMPTY, [event(1)]));
    const later = add(add(still, [event(2), outcome(1)]), [event(3), outcome(2)]);
    expect(later.rows).toBe(still.rows);
    expect(later.heldCount).toBe(2);
    const feed = resume(later);
    expect(feed).toMatchObject({ isPaused: false, heldCount: 0, held: [] });
    expect(feed.rows).toMatchObject([{ id: '3' }, { id: '2', outcomes: ['succeeded'] }, { id: '1', outcomes: ['succeeded'] }]);
  });

  it('keeps no more than it can show, and still counts all', () => {
    let feed = pause(EMPTY);
    for (let i = 0; i < 20; i++) feed = add(feed, Array.from({ length: MAX_ROWS }, (_, j) => event(`${i} ${j}`)));
    expect(feed.heldCount).toBe(20 * MAX_ROWS);
    expect(feed.held.length).toBeLessThanOrEqual(4 * MAX_ROWS);
    expect(resume(feed).rows).toHaveLength(MAX_ROWS);
  });

  it('stays paused when it is emptied', () => expect(clear(add(pause(EMPTY), [event(1)]))).toMatchObject({ rows: [], heldCount: 0, isPaused: true }));
});
