import type { AlarmRow } from '@voltkeep/contract/alarms'
import { lazy, Suspense, useEffect } from 'react'
import { useHasShown } from '../../lib/firstShown.ts'
import type { OpenRow } from '../../ui/useOpenRow.ts'

const loadDetail = () => import('./AlarmDetail.tsx')
const AlarmDetail = lazy(loadDetail)

/** The alarm that is open, beside its list. Fetched when the list stands: the first press is not to wait for it. */
export function OpenAlarm({
  row,
  rows,
  onRecovered,
}: {
  row: OpenRow
  /** The page of the list. */
  rows: readonly AlarmRow[]
  onRecovered?: (alarm: AlarmRow) => void
}) {
  const hasShown = useHasShown()
  useEffect(() => {
    // What fails here is told where it is used.
    if (hasShown) void loadDetail().catch(() => undefined)
  }, [hasShown])
  if (!row.id) return null
  return (
    <Suspense>
      <AlarmDetail
        id={row.id}
        at={row.at}
        rows={rows}
        onOpen={({ id, occurrenceTime }) => row.open(id, occurrenceTime)}
        onClose={row.close}
        onRecovered={onRecovered}
      />
    </Suspense>
  )
}
