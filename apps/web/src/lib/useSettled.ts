import { useEffect, useState } from 'react'

const typingPauseMs = 400

/** The value as it was when it had stood still for a moment: what a call asks while somebody types. Compared as JSON. */
export function useSettled<Value>(
  value: Value,
  pauseMs = typingPauseMs,
): { settled: Value; isSettled: boolean } {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return { settled, isSettled: JSON.stringify(settled) === text }
}
