// The page of one battery: where it is, its curves and its way through the cabinets, and what alarmed where it was.
import { useQuery } from '@tanstack/react-query'
import { listBatteries, liveBatteries, readBattery } from '@voltkeep/contract/batteries'
import { lazy, Suspense } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { useWalk } from '../../../ui/detail/useWalk.ts'
import { Waiting } from '../../../ui/Waiting.tsx'
import { WatchPage, WatchPart } from '../../../ui/work/WatchPage.tsx'
import { BatteryState } from '../BatteryState.tsx'
import { batteryPage, useOpenBattery } from '../batteries.page.ts'
import { batteryTexts } from '../batteries.texts.ts'
import { BatteryAlarms } from './BatteryAlarms.tsx'
import { BatteryNow, Claims } from './BatteryNow.tsx'
import { BatteryTrack } from './BatteryTrack.tsx'

const BatteryHistory = lazy(() => import('./BatteryHistory.tsx'))

const { battery: words } = batteryTexts
/** Figures that change without the battery's moving are read again so often. */
const figuresEveryMs = 30_000

export default function BatteryView({ code }: { code: string }) {
  const query = useQuery({
    ...reading(readBattery, { code }),
    refetchInterval: figuresEveryMs,
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveBatteries.noun, code))
  const openBattery = useOpenBattery()
  const steps = useWalk(listBatteries, code, openBattery, batteryTexts.measure)
  return (
    <WatchPage
      of={code}
      page={batteryPage}
      back={words.back}
      steps={steps}
      query={query}
      notFound={words.notFound}
      show={(battery) => ({
        title: <CopyText text={battery.code} />,
        label: words.title(battery.code),
        tags: <BatteryState of={battery} />,
        parts: (
          <>
            <Claims claims={battery.claims} />
            <BatteryNow battery={battery} />
            <WatchPart title={words.history}>
              <Suspense fallback={<Waiting />}>
                <BatteryHistory code={code} />
              </Suspense>
            </WatchPart>
            <BatteryTrack code={code} />
            <BatteryAlarms code={code} />
          </>
        ),
      })}
    />
  )
}
