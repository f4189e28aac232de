import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { late } from '../../ui/late.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { reportTexts } from './reports.texts.ts'

// Each by itself: the list of pages, which every page loads, then names this file alone.
const AlarmReport = late(() => import('./AlarmReport.tsx'))
const AvailabilityReport = late(() => import('./AvailabilityReport.tsx'))
const SubscriptionList = late(() => import('./SubscriptionList.tsx'))
const AlarmRecord = late(() => import('./AlarmRecord.tsx'))

const keys = ['alarm', 'availability', 'subscriptions'] as const
type Tab = (typeof keys)[number]

const TabSearch = z.object({
  tab: z.optional(z.enum(keys)),
  /** An alarm whose record is shown, and when it began. */
  record: z.optional(z.string()),
  occurrenceTime: z.optional(z.string()),
})
/** 告警质量, 可用率 and what comes by mail, whichever of them the reader may see; or the record of one alarm. */
export default function ReportPage() {
  const [{ tab, record, occurrenceTime }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  const mayRead = {
    alarm: usePermission('report:alarm'),
    availability: usePermission('report:availability'),
    subscriptions: usePermission('report:subscribe'),
  }
  const tabs = keys.filter((key) => mayRead[key])
  const shown = tab && mayRead[tab] ? tab : (tabs[0] ?? 'alarm')
  const show = (next: Tab) => void navigate({ to: '.', search: { tab: next } as never })
  if (record) return <AlarmRecord id={record} occurrenceTime={occurrenceTime} />
  const head = tabs.length > 1 && (
    <Tabs
      label={reportTexts.kinds}
      active={shown}
      onChange={show}
      tabs={tabs.map((key) => ({ key, title: reportTexts.tabs[key] }))}
    />
  )
  const Shown = { alarm: AlarmReport, availability: AvailabilityReport, subscriptions: SubscriptionList }[
    shown
  ]
  return <Shown head={head} />
}
