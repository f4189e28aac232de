// The tab of messages that were sent.

import { useQuery } from '@tanstack/react-query'
import {
  listNotifyDeliveries,
  type NotifyDeliveryRow,
  nameNotifyChannels,
  notifyStates,
} from '@voltkeep/contract/notifications'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { reading } from '../../lib/wire/reading.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { notificationTexts } from './notifications.texts.ts'

const { deliveries, states, kinds } = notificationTexts
const { fields } = deliveries

const looks = { sending: 'sent', delivered: 'done', retrying: 'paused', givenUp: 'failed' } as const

const stateOf = ({ state }: NotifyDeliveryRow) => <StateTag state={looks[state]}>{states[state]}</StateTag>

function resultOf(delivery: NotifyDeliveryRow): string | null {
  const { providerCode, providerMessage, nextTime, passedTo, isFallback } = delivery
  const parts = [
    ...(isFallback ? [deliveries.isFallback] : []),
    ...(providerCode !== null && providerMessage !== null
      ? [deliveries.result(providerCode, providerMessage)]
      : []),
    ...(nextTime === null ? [] : [deliveries.next(nextTime)]),
    ...(passedTo.length > 0 ? [deliveries.passedTo(passedTo.join('、'))] : []),
  ]
  return parts.length > 0 ? parts.join('，') : null
}

const columns: Column<NotifyDeliveryRow>[] = [
  {
    key: 'time',
    title: fields.time,
    width: 226,
    render: ({ createTime }) => <RelativeTime time={createTime} />,
  },
  textColumn('title', fields.title, { maxWidth: 360 }),
  {
    key: 'count',
    title: fields.count,
    width: 96,
    align: 'right',
    render: ({ alarmCount }) => deliveries.unit(formatCount(alarmCount)),
  },
  {
    key: 'channel',
    title: fields.channel,
    maxWidth: 220,
    render: ({ channelName, kind, userNames }) => (
      <span title={kinds[kind]}>{[channelName, ...userNames].join(' · ')}</span>
    ),
  },
  {
    key: 'rules',
    title: fields.rules,
    maxWidth: 220,
    render: ({ ruleNames }) => <span title={ruleNames.join('、')}>{ruleNames.join('、')}</span>,
  },
  { key: 'state', title: fields.state, width: 112, render: stateOf },
  {
    key: 'attempts',
    title: fields.attempts,
    width: 72,
    align: 'right',
    render: ({ attempts }) => deliveries.times(attempts),
  },
  {
    key: 'result',
    title: fields.result,
    render: (delivery) => {
      const result = resultOf(delivery)
      return result === null ? <Nothing /> : <span title={result}>{result}</span>
    },
  },
]

export function DeliveryList({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listNotifyDeliveries)
  const channels = useQuery(reading(nameNotifyChannels, {}))
  return (
    <ListPage
      title={title}
      head={head}
      measure={deliveries.measure}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          {channels.data && channels.data.length > 0 && (
            <ChoiceFilter
              of={draft}
              name="channelId"
              label={fields.channel}
              options={channels.data.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
          <ChoiceFilter
            of={draft}
            name="state"
            label={fields.state}
            options={choicesOf(notifyStates, states)}
          />
        </>
      )}
      card={(delivery) => ({
        lead: delivery.title,
        aside: stateOf(delivery),
        second: `${delivery.createTime} · ${delivery.channelName}`,
      })}
      empty={{ title: deliveries.empty, hint: deliveries.emptyHint }}
      emptyFiltered={deliveries.emptyFiltered}
    />
  )
}
