// The tab of reports that come by mail.
import { describeStop } from '@voltkeep/contract/deciders'
import {
  deleteReportSubscription,
  insertReportSubscription,
  listReportSubscriptions,
  type ReportSubscriptionRow,
  reportKinds,
  updateReportSubscription,
} from '@voltkeep/contract/reportSubscriptions'
import { alarmGroupNames } from '@voltkeep/contract/reports'
import type { ReactNode } from 'react'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { reportTexts } from './reports.texts.ts'

const SubscriptionDialog = lazyDialog(() => import('./SubscriptionDialog.tsx'))

const words = reportTexts.subscriptions
const { fields, remove } = words

const looks = { sending: 'sent', delivered: 'done', retrying: 'paused', givenUp: 'failed' } as const

/** Why nothing comes, where nothing does. */
function stateOf({ isEnabled, stopped, problem }: ReportSubscriptionRow) {
  if (isEnabled === 0) return <StateTag state="stopped">{words.isOn[0]}</StateTag>
  const reason = stopped ? describeStop(stopped) : problem
  return <StateTag state={reason === null ? 'done' : 'failed'}>{reason ?? words.isOn[1]}</StateTag>
}

function lastOf({ lastState, lastTitle, lastMessage }: ReportSubscriptionRow) {
  if (lastState === null) return <Nothing />
  return (
    <span title={[lastTitle, lastMessage].filter((text) => text !== null).join('：')}>
      <StateTag state={looks[lastState]}>{words.states[lastState]}</StateTag>
    </span>
  )
}

const reportOf = ({ kind, groupBy }: ReportSubscriptionRow) =>
  `${words.kinds[kind]} · ${alarmGroupNames[groupBy]}`
const whenOf = ({ every, hour, timeZone }: ReportSubscriptionRow) => words.when(every, hour, timeZone)

const columns: Column<ReportSubscriptionRow>[] = [
  textColumn('name', fields.name, { maxWidth: 240, fixed: 'left' }),
  { key: 'report', title: fields.kind, width: 168, render: reportOf },
  { key: 'when', title: fields.every, render: whenOf },
  textColumn('channelName', fields.channel, { key: 'channel', maxWidth: 200 }),
  {
    key: 'next',
    title: fields.next,
    width: 226,
    render: ({ nextTime }) => (nextTime === null ? <Nothing /> : <RelativeTime time={nextTime} />),
  },
  { key: 'last', title: fields.last, width: 112, render: lastOf },
  textColumn('ownerName', fields.owner, { key: 'owner', maxWidth: 160 }),
  { key: 'state', title: fields.state, render: stateOf },
]

export default function SubscriptionList({ head }: { head: ReactNode }) {
  const list = useList(listReportSubscriptions)
  return (
    <NounPage
      head={head}
      words={words}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="name" label={fields.name} />
          <ChoiceFilter
            of={draft}
            name="kind"
            label={fields.kind}
            options={choicesOf(reportKinds, words.kinds)}
          />
        </>
      )}
      card={(row) => ({
        lead: row.name,
        aside: stateOf(row),
        second: `${reportOf(row)} · ${whenOf(row)}`,
      })}
      insert={insertReportSubscription}
      update={updateReportSubscription}
      form={({ row, onClose }) => <SubscriptionDialog subscription={row} onClose={onClose} />}
      remove={{
        endpoint: deleteReportSubscription,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale: [listReportSubscriptions],
      }}
    />
  )
}
