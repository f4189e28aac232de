import { useNavigate } from '@tanstack/react-router'
import { listDuties } from '@voltkeep/contract/duties'
import { listNotifyChannels, listNotifyDeliveries, listNotifyRules } from '@voltkeep/contract/notifications'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { ChannelList } from './ChannelList.tsx'
import { DeliveryList } from './DeliveryList.tsx'
import { DutyList } from './DutyList.tsx'
import { notificationTexts } from './notifications.texts.ts'
import { RuleList } from './RuleList.tsx'

const keys = ['rules', 'duties', 'channels', 'deliveries'] as const
type Key = (typeof keys)[number]
const TabSearch = z.object({ tab: z.optional(z.enum(keys)) })

const lists = { rules: RuleList, duties: DutyList, channels: ChannelList, deliveries: DeliveryList } as const

/** Which alarms are told to whom, through what, and what became of it. */
export default function NotifyPage() {
  const [{ tab }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  const permitted: Record<Key, boolean> = {
    rules: usePermission(listNotifyRules.access),
    duties: usePermission(listDuties.access),
    channels: usePermission(listNotifyChannels.access),
    deliveries: usePermission(listNotifyDeliveries.access),
  }
  const offered = keys.filter((key) => permitted[key])
  const active = tab && permitted[tab] ? tab : (offered[0] ?? 'rules')
  const List = lists[active]
  return (
    <List
      key={active}
      head={
        <Tabs
          label={notificationTexts.title}
          active={active}
          // The other tab starts without filters, so the whole search is replaced.
          onChange={(next) => void navigate({ to: '.', search: { tab: next } as never })}
          tabs={offered.map((key) => ({ key, title: notificationTexts.tabs[key] }))}
        />
      }
    />
  )
}
