/** Times and durations for people. A duration is never negative, because clocks differ by a little. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Zone = 'utc' | 'local';

/** `2 s ago`, `7 min ago`, `3 h ago`, `12 d ago`. */
export function ago(time: string, now: number): string {
  const past = Math.max(0, now - Date.parse(time));
  if (past < SECOND) return 'now';
  return `${coarse(past)} ago`;
}

/** One unit: `40 s`, `6 min`, `3 h`, `2 d`. */
export function coarse(milliseconds: number): string {
  const past = Math.max(0, milliseconds);
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  if (past < 2 * DAY) return `${Math.floor(past / HOUR)} h`;
  return `${Math.floor(past / DAY)} d`;
}

/** Two units at most: `84 ms`, `10.0 s`, `5 min 13 s`, `5 h 31 min`. */
export function duration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < SECOND) return `${Math.round(span)} ms`;
  if (span < MINUTE) return `${(span / SECOND).toFixed(1)} s`;
  if (span < HOUR) return pair(span, MINUTE, 'min', SECOND, 's');
  if (span < DAY) return pair(span, HOUR, 'h', MINUTE, 'min');
  return pair(span, DAY, 'd', HOUR, 'h');
}

function pair(span: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((span % large) / small);
  return `${Math.floor(span / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** Whole seconds as people say them: `30 s`, `2 min`, `1 h 30 min`. */
export function seconds(count: number): string {
  return count < 60 ? `${count} s` : duration(count * SECOND);
}

/** `2:23`, `1:02:09`: what is left until `time`. */
export function countdown(time: string, now: number): string {
  const left = Math.max(0, Math.ceil((Date.parse(time) - now) / SECOND));
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(left / 3600);
  const minutes = Math.floor((left % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(left % 60)}` : `${minutes}:${two(left % 60)}`;
}

/** `12:03:44` or, with `milliseconds`, `12:03:44.120`. */
export function clock(time: string, zone: Zone, milliseconds = false): string {
  const at = new Date(time);
  const parts = zone === 'utc' ? at.toISOString() : shifted(at).toISOString();
  return parts.slice(11, milliseconds ? 23 : 19);
}

/** `2026-11-22 12:03:44`. */
export function dateTime(time: string, zone: Zone): string {
  const at = new Date(time);
  return (zone === 'utc' ? at : shifted(at)).toISOString().slice(0, 19).replace('T', ' ');
}

/** The same, and whether it is UTC. */
export function exactTime(time: string, zone: Zone): string {
  return `${dateTime(time, zone)}${zone === 'utc' ? ' UTC' : ''}`;
}

/** `22 Nov`, with the year unless it is the current one. */
export function day(time: string, zone: Zone, now: number): string {
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'short',
    timeZone: zone === 'utc' ? 'UTC' : undefined,
  };
  const isThisYear = time.slice(0, 4) === new Date(now).toISOString().slice(0, 4);
  return new Intl.DateTimeFormat('en-GB', isThisYear ? options : { ...options, year: 'numeric' }).format(new Date(time));
}

/** A clock time on the same day, a date and a time on any other. */
export function when(time: string, zone: Zone, now: number): string {
  const today = dateTime(new Date(now).toISOString(), zone).slice(0, 10);
  const whole = dateTime(time, zone);
  return whole.startsWith(today) ? whole.slice(11) : `${day(time, zone, now)}, ${whole.slice(11, 16)}`;
}

/** Writes the RFC 3339 times in a sentence of the API, which are UTC, as the pages write times. */
export function withTimes(text: string, zone: Zone, now: number): string {
  return text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (time) => when(time, zone, now));
}

function shifted(at: Date): Date {
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE);
}

const WINDOW_UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY };

/** The start of a window such as `1h` or `7d`. A time is returned as it is. */
export function windowStart(window: string, now: number): string {
  const found = /^(\d+)([mhd])$/.exec(window);
  return found ? new Date(now - Number(found[1]) * (WINDOW_UNITS[found[2] ?? ''] ?? 0)).toISOString() : window;
}
