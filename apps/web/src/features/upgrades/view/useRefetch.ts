import { useEffect, useRef } from 'react'

/** Refetches whenever `text` changes; the first read is the query's own. */
export function useRefetch(refetch: () => unknown, text: string): void {
  const before = useRef(text)
  useEffect(() => {
    if (before.current === text) return
    before.current = text
    void refetch()
  }, [refetch, text])
}
