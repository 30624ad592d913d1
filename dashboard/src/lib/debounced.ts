/** A value that is typed, once the typing pauses. */
import { useEffect, useState } from 'react';

const TYPING_PAUSE = 350;

export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
