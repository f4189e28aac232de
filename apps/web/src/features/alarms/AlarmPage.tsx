import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AlarmHistory } from './AlarmHistory.tsx'
import { alarmTexts } from './alarms.texts.ts'
import { CurrentAlarms } from './CurrentAlarms.tsx'

const TabSearch = z.object({ tab: z._default(z.enum(['current', 'history']), 'current') })
type Tab = z.output<typeof TabSearch>['tab']

/** 当前告警 and 历史告警. */
export default function AlarmPage() {
  const [{ tab }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  const mayReadHistory = usePermission('alarm:history')
  // The other tab starts without filters, so the whole search is replaced.
  const show = (next: Tab) =>
    void navigate({ to: '.', search: (next === 'current' ? {} : { tab: next }) as never })
  const tabs = mayReadHistory ? (
    <Tabs
      label={alarmTexts.title}
      active={tab}
      onChange={show}
      tabs={[
        { key: 'current', title: alarmTexts.tabs.current },
        { key: 'history', title: alarmTexts.tabs.history },
      ]}
    />
  ) : undefined
  return tab === 'history' && mayReadHistory ? <AlarmHistory head={tabs} /> : <CurrentAlarms head={tabs} />
}
