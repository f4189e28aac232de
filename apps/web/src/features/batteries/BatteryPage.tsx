import { lazy, Suspense } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { BatteryList } from './BatteryList.tsx'
import { BatterySearch } from './batteries.page.ts'

const BatteryView = lazy(() => import('./view/BatteryView.tsx'))

/** All batteries: the list, or one battery by its code in the address. */
export default function BatteryPage() {
  const [{ battery }] = useUrlState(BatterySearch)
  if (battery === undefined) return <BatteryList />
  return (
    <Suspense fallback={<Waiting isPage />}>
      <BatteryView code={battery} />
    </Suspense>
  )
}
