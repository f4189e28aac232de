import { useEffect } from 'react'
import { texts } from '../lib/texts/index.ts'

/** The window's title: the page first, as tabs cut it off at the end. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.product.name}`
    return () => {
      document.title = texts.product.name
    }
  }, [title])
}
