/** An event or an API call as a command to paste. */
import { serverUrl } from '../api/client';

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

/** What a header may be called. A name with another sign, such as `@`, could mean a file to a client. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Characters that a terminal acts on when they are pasted, even inside quotes: Ctrl-C would end the line, and the rest would run. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The headers to write into a command: those a client cannot take for anything else, each on one line and without control characters. */
function sendable(headers: Header[]): Header[] {
  return headers
    .filter(({ name }) => HEADER_NAME.test(name) && !OWN.has(name.toLowerCase()))
    .map(({ name, value }) => ({ name, value: value.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim() }));
}

/** The body as a pipe that writes Base64 if it is binary or has control characters; otherwise undefined. */
function decoder(body: string, base64: string | undefined): string | undefined {
  const encoded = base64 ?? (CONTROL.test(body) ? toBase64(body) : undefined);
  return encoded === undefined ? undefined : `echo ${quote(encoded)} | base64 -d | `;
}

function toBase64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

function word(text: string): string {
  return /^[A-Za-z]+$/.test(text) ? text : quote(text);
}

/**
 * Returns a curl command that sends exactly this body. Nothing in it makes curl read a file: senders choose the headers and the body, and
 * curl reads `--data-binary @name` and `-H @name` from files.
 */
export function curl(method: string, url: string, headers: Header[], body: string, base64?: string): string {
  const sent = sendable(headers);
  const pipe = decoder(body, base64);
  const hasBody = pipe !== undefined || body !== '';
  // Without these, curl expands brackets in the URL, and names a form as the type of a body that has no type.
  const globoff = /[[\]{}]/.test(url) ? ' -g' : '';
  const noType = hasBody && !sent.some((header) => header.name.toLowerCase() === 'content-type') ? [`  -H 'Content-Type:'`] : [];
  const lines = [
    `curl${globoff} -X ${word(method)} ${quote(url)}`,
    // A header without a value ends with a semicolon; a colon would remove it.
    ...sent.map(({ name, value }) => `  -H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...noType,
  ];
  if (pipe !== undefined) lines.push('  --data-binary @-');
  else if (body !== '') lines.push(`  --data-raw ${quote(body)}`);
  return (pipe ?? '') + lines.join(' \\\n');
}

/**
 * Returns an HTTPie command that sends exactly this body. The space after each colon is part of the syntax: `Name:@file` reads a file, and
 * `Name:=1` is a field of JSON.
 */
export function httpie(method: string, url: string, headers: Header[], body: string, base64?: string): string {
  const sent = sendable(headers);
  const items = sent.map(({ name, value }) => `  ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`);
  // After `--`, a name that begins with `-` is not an option.
  const end = sent.some(({ name }) => name.startsWith('-')) ? ' --' : '';
  const input = decoder(body, base64) ?? (body === '' ? '' : `printf %s ${quote(body)} | `);
  return input + [`http ${word(method)} ${quote(url)}${end}`, ...items].join(' \\\n');
}

/** The request as it would stand on the wire. The body must be text. */
export function rawHttp(method: string, path: string, headers: Header[], body: string): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** An API call as a curl command, with an API key instead of the dashboard's session. */
export function apiCall(method: string, path: string, body?: string): string {
  const lines = [`curl -X ${method} ${quote(serverUrl(path))}`, `  -H "Authorization: Bearer $SLUICE_API_KEY"`];
  if (body !== undefined) lines.push("  -H 'Content-Type: application/json'", `  -d ${quote(body)}`);
  return lines.join(' \\\n');
}
