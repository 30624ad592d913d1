import { describe, expect, it } from 'vitest';
import { stepsInWords } from '../src/pages/connections/ThenTransform';
import { parseRules, rulesToJson, textToValue, valueToText } from '../src/lib/rules';

describe('filter rules', () => {
  it('survive the form without a change of value', () => {
    const text = '{"operator":"and","rules":[{"path":"body.id","op":"eq","value":9007199254740993},{"operator":"or","rules":[{"path":"headers.x","op":"exists","value":true}]}]}';
    const again = rulesToJson(parseRules(text)!);
    expect(again.replace(/\s/g, '')).toBe(text);
  });

  it.each(['{}', '[]', '{"operator":"xor","rules":[]}', '{"operator":"and","rules":[{"path":1,"op":"eq"}]}', '{"operator":"and","rules":[{"path":"a","op":"near"}]}'])(
    'that the form cannot show stay JSON: %s',
    (text) => expect(parseRules(text)).toBeNull(),
  );

  it.each([
    ['eq', 'order.paid', '"order.paid"'],
    ['eq', '50', '50'],
    ['eq', '"50"', '"50"'],
    ['eq', '1.50', '1.50'],
    ['eq', 'true', 'true'],
    ['eq', '', '""'],
    ['in', 'a, b, 3', '["a", "b", 3]'],
    ['in', '"a,b", c', '["a,b", "c"]'],
    ['exists', 'false', 'false'],
  ] as const)('%s: %j is typed for %s', (op, typed, json) => {
    expect(textToValue(op, typed)).toBe(json);
  });

  it.each([
    ['eq', '"order.paid"', 'order.paid'],
    ['eq', '"50"', '"50"'],
    ['eq', '9007199254740993', '9007199254740993'],
    ['in', '["a","b"]', 'a, b'],
    ['in', '["a,b","c"]', '"a,b", c'],
  ] as const)('%s: %s is shown as %s', (op, json, shown) => {
    expect(valueToText(op, json)).toBe(shown);
    expect(textToValue(op, shown).replace(/\s/g, '')).toBe(json);
  });
});

describe('a transformation in words', () => {
  it('has its steps in the order in which they are taken, and numbers as they are written', () => {
    const text = '{"set_headers":[{"name":"X-A","value":"1"}],"rename_headers":[{"from":"X-B","to":"X-C"}],"remove_headers":["X-D"],"merge_body_fields":{"n":1.0}}';
    expect(stepsInWords(text)).toEqual([
      ['Rename header', 'X-B to X-C'],
      ['Remove header', 'X-D'],
      ['Set header', 'X-A = 1'],
      ['Merge into body', '{\n  "n": 1.0\n}'],
    ]);
  });

  it.each(['{"set_headers":', '{"set_headers":7}', '{"set_headers":[null]}', 'null', ''])('is empty while it is none: %s', (text) => expect(stepsInWords(text)).toEqual([]));
});
