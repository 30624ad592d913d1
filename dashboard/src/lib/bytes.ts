/** Bytes as a hex dump: offset, 16 bytes, and what they look like in ASCII. */

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

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
