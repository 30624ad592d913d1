/** The bytes of a body, which the API gives as text or, if it is not UTF-8, as Base64 too. */
export function bodyBytes(text: string, base64: string | undefined): Uint8Array {
  return base64 === undefined ? new TextEncoder().encode(text) : Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

/** Bytes as a hex dump: offset, 16 bytes, and what they look like in ASCII. */
export function hexDump(bytes: Uint8Array, maxBytes: number): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, maxBytes); at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = Array.from(row, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines.join('\n');
}
