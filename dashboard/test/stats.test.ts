import { describe, expect, it } from 'vitest';
import { axisSteps, eventsHref, latencyShare, latencySteps, linePath, moreOrLess, notTaken, partsOf, percent, sumOf, windowBefore } from '../src/lib/stats';
import { pathOf } from '../src/pages/overview/Sparkline';

describe('percent', () => {
  it('never rounds up, so that only all are 100 %', () => {
    expect(percent(1)).toBe('100 %');
    expect(percent(0.99999)).toBe('99.9 %');
    expect(percent(0)).toBe('0.0 %');
  });

  it('has a dash where nothing is finished', () => expect(percent(null)).toBe('–'));
});

describe('the parts of a bar', () => {
  const counts = { events: 10, succeeded: 5, failed: 1, exhausted: 2, pending: 3, filtered: 4 };

  it('are all deliveries', () => expect(sumOf(partsOf(counts, true))).toBe(15));
  it('are the events where nothing is delivered in the whole window', () => expect(partsOf(counts, false).map((one) => one.value)).toEqual([10]));
});

describe('the latency of a destination', () => {
  it('has an axis of round times that reaches the largest', () => {
    expect(latencySteps(84)).toEqual([50, 100]);
    expect(latencySteps(0)).toEqual([5]);
    expect(latencySteps(9_000)).toEqual([5_000, 10_000]);
    expect(latencySteps(300_000)).toEqual([100_000, 200_000, 300_000]);
  });

  it('is a line that is broken where an hour had no attempt, and as wide as its hour between two such hours', () => {
    expect(linePath([10, 20, null, 5, null], 20, 100, 40)).toBe('M10.0 20.0L30.0 0.0M60.0 30.0h20.0');
    expect(linePath([null, null], 20, 100, 40)).toBe('');
  });

  it('is a height that tells short from long beside the timeout, and is full at it', () => {
    expect(latencyShare(0, 10_000)).toBe(0);
    expect(latencyShare(200, 10_000) - latencyShare(20, 10_000)).toBeGreaterThan(0.2);
    expect(latencyShare(10_000, 10_000)).toBe(1);
    expect(latencyShare(12_000, 10_000)).toBe(1);
  });
});

describe('dragging over bars', () => {
  const starts = ['2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z', '2026-11-22T12:00:00.000Z'];
  const end = '2026-11-22T13:00:00.000Z';
  const times = (a: number, b: number) => [...new URLSearchParams(eventsHref(starts, end, a, b).split('?')[1]).values()];

  it('opens the events from the first to the end of the last', () => expect(times(0, 1)).toEqual([starts[0], starts[2]]));
  it('is the same from right to left', () => expect(times(1, 0)).toEqual(times(0, 1)));
  it('ends with the window', () => expect(times(2, 2)).toEqual([starts[2], end]));
});

it('a failed check is stored, so it does not count as a request that was not taken', () => {
  expect(notTaken({ '401': 5, '402': 1, '413': 2, '429': 3, '5xx': 4 })).toBe(10);
});

describe('the window before', () => {
  const asked = { after: '2026-11-22T10:20:00.000Z', before: '2026-11-22T11:20:00.000Z' };
  const window = { after: '2026-11-22T10:00:00.000Z', before: '2026-11-22T12:00:00.000Z' };
  const past = windowBefore({ window, asked });
  const now = Date.parse(asked.before);

  it('ends where the shown one begins, and is as long as what was asked for', () => expect(past).toEqual({ after: '2026-11-22T09:00:00.000Z', before: window.after }));

  it('is compared by the time that has passed, because the shown one is longer', () => {
    expect(moreOrLess({ window, value: 80 }, { window: past, value: 60 }, now)).toBe('as many as before');
    expect(moreOrLess({ window, value: 160 }, { window: past, value: 60 }, now)).toBe('100 % more than before');
    expect(moreOrLess({ window, value: 0 }, { window: past, value: 60 }, now)).toBe('100 % fewer than before');
    expect(moreOrLess({ window, value: 5 }, { window: past, value: 0 }, now)).toBeUndefined();
  });
});

it('the value axis has a few round steps, the last of them above every bar', () => {
  for (const max of [0, 1, 2, 3, 7, 10, 99, 100, 1_234, 1_000_001]) {
    const steps = axisSteps(max);
    expect(steps.length).toBeLessThanOrEqual(4);
    expect(steps.at(-1)).toBeGreaterThanOrEqual(max);
    expect(steps.every(Number.isInteger)).toBe(true);
  }
  expect(axisSteps(7)).toEqual([5, 10]);
});

describe('a sparkline', () => {
  it('breaks where there is no value', () => expect(pathOf([1, null, 1, 2]).match(/M/g)).toHaveLength(2));
  it('is drawn for equal, single and missing values', () => {
    for (const values of [[0, 0], [5], [], [null]]) expect(pathOf(values)).not.toMatch(/NaN|Infinity/);
  });
});
