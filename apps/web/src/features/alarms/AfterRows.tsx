import { type ReactNode, Suspense } from 'react'
import { useHasShown } from '../../lib/firstShown.ts'

/** What comes once the first rows are shown. */
export function AfterRows({ children }: { children: ReactNode }) {
  return useHasShown() ? <Suspense>{children}</Suspense> : null
}
