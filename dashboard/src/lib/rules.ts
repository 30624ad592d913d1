/** Filter rules as a form edits them. Values stay source text, so that numbers keep their form. */
import { member, parseJson, type JsonNode } from './json';

export const OPERATORS = ['eq', 'ne', 'contains', 'exists', 'gt', 'lt', 'in'] as const;
export type RuleOperator = (typeof OPERATORS)[number];

/** @param value JSON source text, or empty where there is none */
export type Rule = { path: string; op: RuleOperator; value: string };
export type Group = { operator: 'and' | 'or'; rules: Rule[] };
export type Rules = { operator: 'and' | 'or'; rules: (Rule | Group)[] };

export function isGroup(rule: Rule | Group): rule is Group {
  return 'rules' in rule;
}

/** Reads a filter. Returns null if the form cannot show it. */
export function parseRules(text: string): Rules | null {
  const root = parseJson(text);
  if (root === null) return null;
  const operator = string(text, member(text, root, 'operator'));
  const list = member(text, root, 'rules');
  if ((operator !== 'and' && operator !== 'or') || list?.kind !== 'array') return null;
  const rules: (Rule | Group)[] = [];
  for (const item of list.items) {
    const inner = member(text, item, 'rules');
    if (inner === undefined) {
      const rule = parseRule(text, item);
      if (rule === null) return null;
      rules.push(rule);
    } else {
      const innerOperator = string(text, member(text, item, 'operator'));
      if ((innerOperator !== 'and' && innerOperator !== 'or') || inner.kind !== 'array') return null;
      const all = inner.items.map((one) => parseRule(text, one));
      if (all.includes(null)) return null;
      rules.push({ operator: innerOperator, rules: all as Rule[] });
    }
  }
  return { operator, rules };
}

function parseRule(text: string, node: JsonNode): Rule | null {
  const path = string(text, member(text, node, 'path'));
  const op = OPERATORS.find((one) => one === string(text, member(text, node, 'op')));
  if (path === null || op === undefined) return null;
  const value = member(text, node, 'value');
  return { path, op, value: value === undefined ? '' : text.slice(value.start, value.end) };
}

function string(text: string, node: JsonNode | undefined): string | null {
  return node?.kind === 'string' ? (JSON.parse(text.slice(node.start, node.end)) as string) : null;
}

export function rulesToJson(rules: Rules): string {
  const rule = (one: Rule, indent: string) =>
    `${indent}{ "path": ${JSON.stringify(one.path)}, "op": "${one.op}"${one.value === '' ? '' : `, "value": ${one.value}`} }`;
  const lines = rules.rules.map((one) =>
    isGroup(one)
      ? `    {\n      "operator": "${one.operator}",\n      "rules": [\n${one.rules.map((inner) => rule(inner, '        ')).join(',\n')}\n      ]\n    }`
      : rule(one, '    '),
  );
  return `{\n  "operator": "${rules.operator}",\n  "rules": [\n${lines.join(',\n')}\n  ]\n}`;
}

/** A value as somebody would type it: `order.paid`, `50`, `a, b` for a list, `"50"` for the text 50. */
export function valueToText(op: RuleOperator, value: string): string {
  const node = parseJson(value);
  if (op === 'in' && node?.kind === 'array') {
    return node.items.map((item) => valueToText('eq', value.slice(item.start, item.end))).join(', ');
  }
  if (node?.kind !== 'string') return value;
  const text = JSON.parse(value) as string;
  const wouldChange = parseJson(text) !== null || text !== text.trim() || text === '' || /["[{,]/.test(text);
  return wouldChange ? value : text;
}

export function textToValue(op: RuleOperator, text: string): string {
  const trimmed = text.trim();
  if (op === 'in') {
    if (parseJson(trimmed)?.kind === 'array') return trimmed;
    const parts = splitList(trimmed);
    return `[${parts.map((part) => textToValue('eq', part)).join(', ')}]`;
  }
  if (op === 'exists') return trimmed === 'false' ? 'false' : 'true';
  return parseJson(trimmed) !== null ? trimmed : JSON.stringify(trimmed);
}

/** Splits at commas outside quotes. */
function splitList(text: string): string[] {
  const parts = text.match(/\s*("(?:[^"\\]|\\.)*"|[^,]*)\s*(?:,|$)/g) ?? [];
  return parts.map((part) => part.replace(/,$/, '').trim()).filter((part) => part !== '');
}
