import { useEffect, useState } from 'react'

const typingPauseMs = 400

/** The debounced value, for calls while somebody types. Compared as JSON. */
export function useDebounced<Value>(
  value: Value,
  pauseMs = typingPauseMs,
): { debounced: Value; isCurrent: boolean } {
  const [debounced, setDebounced] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text) as Value), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return { debounced, isCurrent: JSON.stringify(debounced) === text }
}
