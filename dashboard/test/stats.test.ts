import { describe, expect, it } from 'vitest';
import { eventsHref, notTaken, partsOf, percent, sumOf } from '../src/lib/stats';
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

describe('a sparkline', () => {
  it('breaks where there is no value', () => expect(pathOf([1, null, 1, 2]).match(/M/g)).toHaveLength(2));
  it('is drawn for equal, single and missing values', () => {
    for (const values of [[0, 0], [5], [], [null]]) expect(pathOf(values)).not.toMatch(/NaN|Infinity/);
  });
});
