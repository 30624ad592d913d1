/**
 * Reads JSON without loss: every token keeps its source text, so that 64-bit integers, the order of keys, repeated keys and the form of
 * numbers survive. `JSON.parse` would change all four.
 */

export type JsonNode =
  | { kind: 'object'; members: JsonMember[]; start: number; end: number }
  | { kind: 'array'; items: JsonNode[]; start: number; end: number }
  | { kind: 'string' | 'number' | 'word'; start: number; end: number };

export type JsonMember = { keyStart: number; keyEnd: number; value: JsonNode };

/** Deeper documents are shown as text. */
const MAX_DEPTH = 200;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

class NotJson extends Error {}

class Reader {
  position = 0;
  constructor(private readonly text: string) {}

  document(): JsonNode {
    const node = this.value(0);
    this.match(SPACE);
    if (this.position < this.text.length) throw new NotJson();
    return node;
  }

  private value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new NotJson();
    this.match(SPACE);
    const start = this.position;
    switch (this.text[start]) {
      case '{':
        return this.object(start, depth);
      case '[':
        return this.array(start, depth);
      case '"':
        return this.scalar('string', STRING);
      case 't':
      case 'f':
      case 'n':
        return this.scalar('word', WORD);
      default:
        return this.scalar('number', NUMBER);
    }
  }

  private object(start: number, depth: number): JsonNode {
    const members: JsonMember[] = [];
    this.position++;
    if (!this.take('}')) {
      do {
        this.match(SPACE);
        const key = this.scalar('string', STRING);
        if (!this.take(':')) throw new NotJson();
        members.push({ keyStart: key.start, keyEnd: key.end, value: this.value(depth + 1) });
      } while (this.take(','));
      if (!this.take('}')) throw new NotJson();
    }
    return { kind: 'object', members, start, end: this.position };
  }

  private array(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.position++;
    if (!this.take(']')) {
      do items.push(this.value(depth + 1));
      while (this.take(','));
      if (!this.take(']')) throw new NotJson();
    }
    return { kind: 'array', items, start, end: this.position };
  }

  private scalar(kind: 'string' | 'number' | 'word', form: RegExp): JsonNode {
    const start = this.position;
    if (!this.match(form)) throw new NotJson();
    return { kind, start, end: this.position };
  }

  private take(sign: string): boolean {
    this.match(SPACE);
    if (this.text[this.position] !== sign) return false;
    this.position++;
    return true;
  }

  private match(form: RegExp): boolean {
    form.lastIndex = this.position;
    const found = form.exec(this.text);
    if (found === null) return false;
    this.position += found[0].length;
    return true;
  }
}

/** Returns the tree, or null when the text is not JSON or too deep. */
export function parseJson(text: string): JsonNode | null {
  try {
    return new Reader(text).document();
  } catch (e) {
    if (e instanceof NotJson) return null;
    throw e;
  }
}

/** Returns the last member with that name, because most parsers take the last of repeated keys. */
export function member(text: string, node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.members.findLast((one) => JSON.parse(text.slice(one.keyStart, one.keyEnd)) === name)?.value;
}

/** Indents JSON by two spaces a level. Only white space between tokens changes. */
export function formatJson(text: string): string | null {
  const root = parseJson(text);
  if (root === null) return null;
  const source = (node: { start: number; end: number }) => text.slice(node.start, node.end);
  const lines = (node: JsonNode, indent: string): string => {
    const inner = `${indent}  `;
    if (node.kind === 'object') {
      if (node.members.length === 0) return '{}';
      const members = node.members.map(
        (one) => `${inner}${text.slice(one.keyStart, one.keyEnd)}: ${lines(one.value, inner)}`,
      );
      return `{\n${members.join(',\n')}\n${indent}}`;
    }
    if (node.kind === 'array') {
      if (node.items.length === 0) return '[]';
      return `[\n${node.items.map((item) => inner + lines(item, inner)).join(',\n')}\n${indent}]`;
    }
    return source(node);
  };
  return lines(root, '');
}

/** Returns the indented source text of a value inside a document, or null if the value is absent or JSON null. */
export function sourceOf(text: string, ...path: string[]): string | null {
  let node: JsonNode | undefined = parseJson(text) ?? undefined;
  for (const name of path) node = member(text, node, name);
  if (node === undefined) return null;
  const source = text.slice(node.start, node.end);
  return source === 'null' ? null : formatJson(source);
}

/** Writes a key as a step of a filter's path, such as `body.items.0.sku`, with `\.` for a dot inside the key. */
export function pathStep(key: string): string {
  return key.replaceAll('\\', '\\\\').replaceAll('.', '\\.');
}
