/** The attempts of a delivery on a linear time axis. The table below it holds the same data. */
import { useEffect, useId, useRef, useState } from 'react';
import type { Schemas } from '../../api/client';
import { usePreferences } from '../../lib/preferences';
import { clock, coarse, countdown } from '../../lib/time';

type Delivery = Schemas['Delivery'];

const HEIGHT = 52;
const LINE_Y = 26;
const LEFT = 8;
const RIGHT = 76;
/** Marks that are closer than this are merged into one with a range of numbers. */
const MERGE_PIXELS = 14;
const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800].map((s) => s * 1000);

type Mark = { x: number; end: number; numbers: number[]; isGood: boolean };

export function marksOf(attempts: Schemas['Attempt'][], toX: (time: number) => number): Mark[] {
  const marks: Mark[] = [];
  for (const attempt of attempts) {
    const at = Date.parse(attempt.attempted_at);
    const x = toX(at);
    const end = toX(at + attempt.latency_ms);
    const isGood = attempt.error_code === null;
    const last = marks.at(-1);
    if (last && x - last.x < MERGE_PIXELS) {
      last.numbers.push(attempt.attempt_number);
      last.end = Math.max(last.end, end);
      last.isGood = isGood;
    } else {
      marks.push({ x, end, numbers: [attempt.attempt_number], isGood });
    }
  }
  return marks;
}

export function Timeline({ delivery, now }: { delivery: Delivery; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const { zone } = usePreferences();
  const hatching = useId();
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  const { attempts } = delivery;
  const start = Date.parse(attempts[0]?.attempted_at ?? delivery.created_at);
  const lastAttempt = attempts.at(-1);
  const lastEnd = lastAttempt ? Date.parse(lastAttempt.attempted_at) + lastAttempt.latency_ms : start;
  const isOpen = delivery.finished_at === null;
  const next = isOpen && delivery.next_attempt_at !== null ? Date.parse(delivery.next_attempt_at) : null;
  const end = Math.max(lastEnd, isOpen ? now : 0, next ?? 0, start + 1000);
  const toX = (time: number) => LEFT + ((time - start) / (end - start)) * Math.max(1, width - LEFT - RIGHT);
  const step = STEPS.find((one) => (end - start) / one <= (width < 420 ? 2 : 4)) ?? STEPS.at(-1)!;
  const ticks = [];
  for (let at = step; at < end - start; at += step) ticks.push(at);
  const nowX = Math.min(toX(now), width - 40);

  return (
    <div className="tl" ref={box}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {delivery.hold !== null && (
            <>
              <pattern id={hatching} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <path d="M1.5 0V6" stroke="var(--held-solid)" strokeWidth="1.5" opacity=".55" />
              </pattern>
              <rect className="hatch" x={toX(lastEnd)} y={LINE_Y - 5} width={Math.max(2, toX(next ?? now) - toX(lastEnd))} height="10" fill={`url(#${hatching})`} />
            </>
          )}
          <path d={`M${LEFT} ${LINE_Y + 13.5}H${width}`} stroke="var(--line)" />
          <path d={`M${LEFT} ${LINE_Y}H${isOpen ? nowX : toX(lastEnd)}`} stroke="var(--line-strong)" strokeWidth="1.5" />
          {isOpen && next !== null && next > now && (
            <path d={`M${nowX} ${LINE_Y}H${toX(next) - 6}`} stroke="var(--text-3)" strokeWidth="1.5" strokeDasharray="1 5" strokeLinecap="round" />
          )}
          <text className="axis" x={LEFT} y={HEIGHT - 1}>
            {clock(new Date(start).toISOString(), zone)}
          </text>
          {ticks.map((at) => {
            const x = toX(start + at);
            return x < LEFT + 84 || x > width - 24 ? null : (
              <g key={at}>
                <path d={`M${x} ${LINE_Y + 10}v4`} stroke="var(--line-strong)" />
                <text className="axis" x={x} y={HEIGHT - 1} textAnchor="middle">
                  +{coarse(at)}
                </text>
              </g>
            );
          })}
          {marksOf(attempts, toX).map((mark) => (
            <g key={mark.numbers[0]}>
              {mark.end - mark.x > 6 && (
                <path d={`M${mark.x} ${LINE_Y}H${mark.end}`} stroke={`var(--${mark.isGood ? 'delivered' : 'failed'}-solid)`} strokeWidth="3" strokeLinecap="round" opacity=".45" />
              )}
              <text className="axis" x={mark.x} y={LINE_Y - 12} textAnchor="middle">
                {mark.numbers.length > 1 ? `${mark.numbers[0]}–${mark.numbers.at(-1)}` : mark.numbers[0]}
              </text>
              {mark.isGood ? (
                <>
                  <circle cx={mark.x} cy={LINE_Y} r="6" fill="var(--delivered-solid)" />
                  <path d={`M${mark.x - 2.6} ${LINE_Y + 0.2}l1.900 1.900 3.400-3.700`} fill="none" stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" />
                </>
              ) : (
                <>
                  <rect x={mark.x - 5.5} y={LINE_Y - 5.5} width="11" height="11" rx="2" fill="var(--failed-solid)" />
                  <path d={`M${mark.x - 2.2} ${LINE_Y - 2.2}l4.400 4.400m0-4.400l-4.400 4.400`} stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" />
                </>
              )}
            </g>
          ))}
          {isOpen && (
            <>
              <path d={`M${nowX} ${LINE_Y - 18}v24`} stroke="var(--accent-solid)" strokeWidth="1.5" />
              <text className="axis now" x={nowX + 5} y={LINE_Y - 10}>
                now
              </text>
            </>
          )}
          {next !== null && next > now && (
            <>
              <circle cx={toX(next)} cy={LINE_Y} r="5" fill="var(--surface)" stroke="var(--retrying-solid)" strokeWidth="2" />
              <text className="axis next" x={Math.min(toX(next), width - 58)} y={LINE_Y - 12} textAnchor="middle">
                {delivery.attempt_count + 1} in {countdown(delivery.next_attempt_at ?? '', now)}
              </text>
            </>
          )}
        </svg>
      )}
    </div>
  );
}
