import { describe, expect, it } from 'vitest';
import { formatJson, parseJson, sourceOf } from '../src/lib/json';
import { linesOf } from '../src/ui/JsonView';

describe('lossless JSON', () => {
  const exact = '{"id":9007199254740993,"total":148.50,"big":1e400,"a":1,"a":2,"z":null,"b":"\\u00e9\\/"}';

  it('keeps large integers, number forms, key order and repeated keys', () => {
    expect(formatJson(exact)?.replace(/\s/g, '')).toBe(exact);
  });

  it('lays out nested values and leaves empty ones on their line', () => {
    expect(formatJson('{"a":[1,{}],"b":[]}')).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}');
  });

  it.each(['', '{', '{"a":1,}', '[1 2]', '{"a" 1}', '01', "{'a':1}", '{"a":"\u0001"}', 'nulll', '[1]]', '"\\x"'])('refuses %j', (text) => {
    expect(parseJson(text)).toBeNull();
  });

  it.each(['1', '-0.5e+3', '"x"', 'true', ' [ ] ', '{"a":{"b":[null]}}'])('accepts %j', (text) => {
    expect(parseJson(text)).not.toBeNull();
  });

  it('refuses what is nested too deeply instead of failing', () => {
    expect(parseJson('['.repeat(100_000) + ']'.repeat(100_000))).toBeNull();
  });

  it('reads a part of a document as it was written', () => {
    const text = '{"id":"x","filter_rules":{"operator":"and","rules":[{"value":12345678901234567890}]},"transformation":null}';
    expect(sourceOf(text, 'filter_rules')).toContain('12345678901234567890');
    expect(sourceOf(text, 'transformation')).toBeNull();
    expect(sourceOf(text, 'absent')).toBeNull();
  });

  it('names each line as filters would', () => {
    const text = '{"a.b":{"items":[{"sku":1}]}}';
    const lines = linesOf(text, parseJson(text)!, () => false, 100, 'body');
    expect(lines.map((line) => line.path)).toContain('body.a\\.b.items.0.sku');
  });
});
