import { type ReactNode, Suspense } from 'react'
import { useHasShown } from '../../../lib/firstShown.ts'
import { late } from '../../late.tsx'
import styles from './filters.module.css'

const controls = () => import('./controls.tsx')

// Each inside `Later`, or inside a Suspense where `useHasShown` is true.
export const Input = late(async () => ({ default: (await controls()).Input }))
export const Pagination = late(async () => ({ default: (await controls()).Pagination }))
export const SearchSelect = late(async () => ({ default: (await controls()).SearchSelect }))

/** A filter's control, which comes after the rows. Until then its frame is shown, with the text that it will have. */
export function Later({ text, children }: { text?: ReactNode; children: ReactNode }) {
  const frame = (
    <span className={styles.waiting} aria-hidden="true">
      {text}
    </span>
  )
  return useHasShown() ? <Suspense fallback={frame}>{children}</Suspense> : frame
}
