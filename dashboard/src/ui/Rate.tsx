import { percent } from '../lib/stats';

/** A smaller share of successes is shown as a failure. */
const HEALTHY_SHARE = 0.98;

/** How many of the deliveries that ended got through. */
export function Rate({ share }: { share: number | null }) {
  return <span className={share !== null && share < HEALTHY_SHARE ? 't-failed' : ''}>{percent(share)}</span>;
}
