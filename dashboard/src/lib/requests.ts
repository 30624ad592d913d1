/** An event or an API call as a command to paste. */

export type Header = { name: string; value: string };

/** Quotes text for a POSIX shell, so that it may contain any character and runs nothing when pasted. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const SECRET_NAME = /authorization|cookie|token|secret|signature|api-?key|password/i;

/** Whether a header's value is hidden until the user reveals it. */
export function isSecret(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Headers that the client sets itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding']);

export function curl(method: string, url: string, headers: Header[], body: string, base64?: string): string {
  const sent = headers.filter((header) => !OWN.has(header.name.toLowerCase()));
  const lines = [
    `curl -X ${method} ${quote(url)}`,
    ...sent.map((header) => `  -H ${quote(`${header.name}: ${header.value}`)}`),
  ];
  if (base64 !== undefined) {
    return `echo ${quote(base64)} | base64 -d | ${lines.join(' \\\n')} \\\n  --data-binary @-`;
  }
  if (body !== '') lines.push(`  --data-binary ${quote(body)}`);
  return lines.join(' \\\n');
}

export function httpie(method: string, url: string, headers: Header[], body: string, base64?: string): string {
  const sent = headers.filter((header) => !OWN.has(header.name.toLowerCase()));
  const words = [`http ${method} ${quote(url)}`, ...sent.map((header) => `  ${quote(`${header.name}:${header.value}`)}`)];
  const input = base64 === undefined ? `printf %s ${quote(body)}` : `echo ${quote(base64)} | base64 -d`;
  return `${body === '' ? '' : `${input} | `}${words.join(' \\\n')}`;
}

/** The request as it would stand on the wire. The body must be text. */
export function rawHttp(method: string, path: string, headers: Header[], body: string): string {
  return `${method} ${path} HTTP/1.1\r\n${headers.map((one) => `${one.name}: ${one.value}\r\n`).join('')}\r\n${body}`;
}

/** An API call as a curl command, with an API key instead of the dashboard's session. */
export function apiCall(method: string, path: string, body?: string): string {
  const lines = [`curl -X ${method} ${quote(new URL(path, location.origin).href)}`, `  -H "Authorization: Bearer $SLUICE_API_KEY"`];
  if (body !== undefined) lines.push("  -H 'Content-Type: application/json'", `  -d ${quote(body)}`);
  return lines.join(' \\\n');
}
