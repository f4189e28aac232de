import { lazy, Suspense } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { BatchList } from './BatchList.tsx'
import { BatchSearch } from './parameterBatches.page.ts'

const BatchView = lazy(() => import('./view/BatchView.tsx'))

/** Batch settings: the list, or one batch by its id in the address. */
export default function ParameterBatchPage() {
  const [{ batch }] = useUrlState(BatchSearch)
  if (batch === undefined) return <BatchList />
  return (
    <Suspense fallback={<Waiting isPage />}>
      <BatchView id={batch} />
    </Suspense>
  )
}
