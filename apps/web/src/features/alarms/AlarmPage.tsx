import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { listAlarms } from '@voltkeep/contract/alarms'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { useHasShown } from '../../lib/firstShown.ts'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { reading } from '../../lib/wire/reading.ts'
import { late } from '../../ui/late.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { alarmTexts } from './alarms.texts.ts'
import { CurrentAlarms } from './CurrentAlarms.tsx'

const AlarmHistory = late(() => import('./AlarmHistory.tsx'))
const ShelfList = late(() => import('./shelves/ShelfList.tsx'))

/** How many are kept quiet, after the first rows: ` 12`. */
function useShelvedCount(): string {
  const hasShown = useHasShown()
  const { data } = useQuery({
    ...reading(listAlarms, { isShelved: '1', pageSize: 1 }),
    enabled: hasShown,
    retry: false,
    meta: { isQuiet: true },
  })
  return data?.total ? ` ${formatCount(data.total)}` : ''
}

const TabSearch = z.object({
  tab: z._default(z.enum(['current', 'shelved', 'history', 'shelves']), 'current'),
})
type Tab = z.output<typeof TabSearch>['tab']

/** 当前告警 and 历史告警. */
export default function AlarmPage() {
  const [{ tab }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  const mayReadHistory = usePermission('alarm:history')
  // The other tab starts without filters, so the whole search is replaced.
  const show = (next: Tab) =>
    void navigate({
      to: '.',
      search: (next === 'current'
        ? {}
        : { tab: next, isShelved: next === 'shelved' ? '1' : undefined }) as never,
    })
  const shelved = useShelvedCount()
  const tabs = (
    <Tabs
      label={alarmTexts.title}
      active={tab}
      onChange={show}
      tabs={[
        { key: 'current', title: alarmTexts.tabs.current },
        { key: 'shelved', title: `${alarmTexts.tabs.shelved}${shelved}` },
        ...(mayReadHistory ? [{ key: 'history', title: alarmTexts.tabs.history } as const] : []),
        { key: 'shelves', title: alarmTexts.tabs.shelves },
      ]}
    />
  )
  if (tab === 'shelves' || (tab === 'history' && mayReadHistory))
    return (
      <Suspense fallback={tabs}>
        {tab === 'shelves' ? <ShelfList head={tabs} /> : <AlarmHistory head={tabs} />}
      </Suspense>
    )
  return <CurrentAlarms key={tab} head={tabs} />
}
