/** Compares the headers of the received request with those of the sent one, by name, ignoring case. */
import type { DiffLine } from './diff';
import { isSecret, type Header } from './requests';

/** Headers that belong to one network connection and say nothing about what was changed. */
const HOP = /^(host|connection|content-length|accept-encoding|transfer-encoding|keep-alive|te|trailer|upgrade|expect)$/i;

export function headerLine(header: Header): string {
  return `${header.name}: ${isSecret(header.name) ? '***' : header.value}`;
}

/** Lists the received headers first, each as kept, as removed, or as changed with both values. Added headers follow. */
export function diffHeaders(before: Header[], after: Header[]): DiffLine[] {
  const came = before.filter((one) => !HOP.test(one.name));
  const leaves = after.filter((one) => !HOP.test(one.name));
  const rest = [...leaves];
  const lines = came.flatMap((header): DiffLine[] => {
    const name = header.name.toLowerCase();
    const exact = rest.findIndex((one) => one.name.toLowerCase() === name && one.value === header.value);
    const at = exact >= 0 ? exact : rest.findIndex((one) => one.name.toLowerCase() === name);
    if (at < 0) return [{ kind: 'removed', text: headerLine(header) }];
    const [found = header] = rest.splice(at, 1);
    if (found.value === header.value) return [{ kind: 'same', text: headerLine(header) }];
    return [
      { kind: 'removed', text: headerLine(header) },
      { kind: 'added', text: headerLine(found) },
    ];
  });
  return [...lines, ...rest.map((one): DiffLine => ({ kind: 'added', text: headerLine(one) }))];
}
