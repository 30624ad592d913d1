/** A JSON document as a tree of lines. Every token is shown as it was written; nothing is parsed into numbers. */
import { useMemo, useState } from 'react';
import { parseJson, pathStep, type JsonNode } from '../lib/json';
import { visible } from '../lib/text';
import { copy } from './parts';

type Line = {
  node: JsonNode;
  depth: number;
  path: string;
  key: string | null;
  /** `open` starts a group, `close` ends it, `whole` is a value on a line of its own. */
  part: 'open' | 'close' | 'whole';
  comma: boolean;
};

/** How many lines are drawn at once. */
const MAX_LINES = 1_500;
/** Documents with more lines than this start with their inner groups closed. */
const MANY_LINES = 400;

export function linesOf(text: string, root: JsonNode, isClosed: (node: JsonNode) => boolean, maxLines: number, rootPath: string): Line[] {
  const lines: Line[] = [];
  const add = (node: JsonNode, depth: number, path: string, key: string | null, comma: boolean) => {
    if (lines.length >= maxLines) return;
    const isGroup = node.kind === 'object' || node.kind === 'array';
    const isEmpty = (node.kind === 'object' && node.members.length === 0) || (node.kind === 'array' && node.items.length === 0);
    if (!isGroup || isEmpty || isClosed(node)) {
      lines.push({ node, depth, path, key, part: 'whole', comma });
      return;
    }
    lines.push({ node, depth, path, key, part: 'open', comma: false });
    if (node.kind === 'object') {
      node.members.forEach((one, i) => {
        const name = text.slice(one.keyStart, one.keyEnd);
        add(one.value, depth + 1, `${path}.${pathStep(JSON.parse(name) as string)}`, name, i < node.members.length - 1);
      });
    } else if (node.kind === 'array') {
      node.items.forEach((item, i) => add(item, depth + 1, `${path}.${i}`, null, i < node.items.length - 1));
    }
    lines.push({ node, depth, path, key: null, part: 'close', comma });
  };
  add(root, 0, rootPath, null, false);
  return lines.slice(0, maxLines);
}

function size(node: JsonNode): string {
  if (node.kind === 'object') return `{ ${node.members.length} ${node.members.length === 1 ? 'key' : 'keys'} }`;
  if (node.kind === 'array') return `[ ${node.items.length} ${node.items.length === 1 ? 'item' : 'items'} ]`;
  return '';
}

/** @param rootPath what a path starts with, such as `body` in filters */
export function JsonView({ text, rootPath = 'body' }: { text: string; rootPath?: string }) {
  const root = useMemo(() => parseJson(text), [text]);
  const [toggled, setToggled] = useState<Set<JsonNode>>(new Set());
  const [maxLines, setMaxLines] = useState(MAX_LINES);
  const startsClosed = useMemo(() => {
    if (root === null) return new Set<JsonNode>();
    const all = linesOf(text, root, () => false, MANY_LINES + 1, rootPath);
    return all.length <= MANY_LINES ? new Set<JsonNode>() : new Set(all.filter((line) => line.part === 'open' && line.depth > 1).map((line) => line.node));
  }, [text, root, rootPath]);
  const isClosed = (node: JsonNode) => startsClosed.has(node) !== toggled.has(node);
  const lines = useMemo(
    () => (root === null ? [] : linesOf(text, root, isClosed, maxLines, rootPath)),
    [text, root, toggled, maxLines, startsClosed, rootPath],
  );

  if (root === null) return <pre className="raw">{visible(text)}</pre>;
  const toggle = (node: JsonNode) => {
    const next = new Set(toggled);
    if (!next.delete(node)) next.add(node);
    setToggled(next);
  };
  return (
    <ol className="json" aria-label="Body as JSON">
      {lines.map((line, i) => {
        const isGroup = line.node.kind === 'object' || line.node.kind === 'array';
        const source = text.slice(line.node.start, line.node.end);
        const isEmpty = isGroup && /^[{[]\s*[}\]]$/.test(source);
        return (
          <li key={i}>
            {isGroup && !isEmpty && line.part !== 'close' ? (
              <button type="button" className="g" aria-expanded={line.part === 'open'} aria-label={`${i + 1}, ${line.part === 'open' ? 'close' : 'open'} ${line.path}`} onClick={() => toggle(line.node)}>
                {i + 1}
              </button>
            ) : (
              <span className="g">{i + 1}</span>
            )}
            <span className="l">
              {'  '.repeat(line.depth)}
              {line.key !== null && (
                <>
                  <span className="k">{visible(line.key)}</span>
                  <span className="p">: </span>
                </>
              )}
              <Value line={line} source={source} isEmpty={isEmpty} />
              {line.comma && <span className="p">,</span>}
            </span>
            {line.part !== 'close' && (
              <span className="acts">
                <button type="button" onClick={() => void copy(line.path, `Copied ${line.path}`)}>
                  Copy path
                </button>
                <button type="button" onClick={() => void copy(valueText(line.node, source))}>
                  Copy value
                </button>
              </span>
            )}
          </li>
        );
      })}
      {lines.length >= maxLines && (
        <li>
          <span className="g" />
          <button type="button" className="link" onClick={() => setMaxLines(maxLines + MAX_LINES)}>
            Show {MAX_LINES} more lines
          </button>
        </li>
      )}
    </ol>
  );
}

function valueText(node: JsonNode, source: string): string {
  return node.kind === 'string' ? (JSON.parse(source) as string) : source;
}

function Value({ line, source, isEmpty }: { line: Line; source: string; isEmpty: boolean }) {
  if (line.part === 'close') return <span className="p">{line.node.kind === 'object' ? '}' : ']'}</span>;
  if (line.part === 'open') return <span className="p">{line.node.kind === 'object' ? '{' : '['}</span>;
  switch (line.node.kind) {
    case 'string':
      return <span className="s">{visible(source)}</span>;
    case 'number':
    case 'word':
      return <span className="n">{source}</span>;
    default:
      return <span className="p">{isEmpty ? source.replace(/\s/g, '') : size(line.node)}</span>;
  }
}
