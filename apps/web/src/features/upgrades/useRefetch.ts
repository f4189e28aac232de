import { useEffect, useRef } from 'react'

/** Reads again each time the text differs from what it was; the first reading happens by itself. */
export function useRefetch(refetch: () => unknown, text: string): void {
  const before = useRef(text)
  useEffect(() => {
    if (before.current === text) return
    before.current = text
    void refetch()
  }, [refetch, text])
}
