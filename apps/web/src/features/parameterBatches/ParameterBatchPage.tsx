import { lazy, Suspense } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import { BatchList } from './BatchList.tsx'
import { BatchSearch } from './parameterBatches.page.ts'

const BatchView = lazy(() => import('./BatchView.tsx'))

/** Batch settings: the list, and one of them at an address of its own. */
export default function ParameterBatchPage() {
  const [{ batch }] = useUrlState(BatchSearch)
  if (batch === undefined) return <BatchList />
  return (
    <Suspense>
      <BatchView id={batch} />
    </Suspense>
  )
}
