/** A clock with the server's time, for everything that counts up or down. */
import { useEffect, useState } from 'react';
import { serverNow } from '../api/client';

/** @param interval milliseconds between ticks; nothing ticks while the tab is hidden */
export function useNow(interval = 1000): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(serverNow());
    }, interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}
