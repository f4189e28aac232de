import { lazy, Suspense } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { HandoverList } from './HandoverList.tsx'
import { HandoverSearch } from './handover.page.ts'

const HandoverView = lazy(() => import('./HandoverView.tsx'))

/** Handovers of shifts: the list, or one by its id in the address. */
export default function HandoverPage() {
  const [{ shift }] = useUrlState(HandoverSearch)
  if (shift === undefined) return <HandoverList />
  return (
    <Suspense fallback={<Waiting isPage />}>
      <HandoverView id={shift} />
    </Suspense>
  )
}
