import type { AlarmRow } from '@voltkeep/contract/alarms'
import { lazy, Suspense, useEffect } from 'react'
import { useHasShown } from '../../../lib/firstShown.ts'
import { DetailPanel } from '../../../ui/detail/DetailPanel.tsx'
import type { OpenRow } from '../../../ui/detail/useOpenRow.ts'
import { Waiting } from '../../../ui/Waiting.tsx'
import { alarmTexts } from '../alarms.texts.ts'

const loadDetail = () => import('./AlarmDetail.tsx')
const AlarmDetail = lazy(loadDetail)

/**
 * The alarm that is open beside its list. Its code is loaded once the list is shown, so that the first press does not
 * wait for it.
 */
export function OpenAlarm({
  row,
  rows,
  onRecovered,
}: {
  row: OpenRow
  /** The page of the list that the panel is opened from. */
  rows: readonly AlarmRow[]
  onRecovered?: (alarm: AlarmRow) => void
}) {
  const hasShown = useHasShown()
  useEffect(() => {
    // A failed preload is ignored: the error is shown when the panel is opened.
    if (hasShown) void loadDetail().catch(() => undefined)
  }, [hasShown])
  if (!row.id) return null
  return (
    <Suspense
      fallback={
        <DetailPanel title={alarmTexts.title} onClose={row.close}>
          <Waiting isPage />
        </DetailPanel>
      }
    >
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
