// The tab of rules.

import { describeStop } from '@voltkeep/contract/deciders'
import { alarmLevels as everyLevel } from '@voltkeep/contract/dictionary'
import {
  deleteNotifyRule,
  insertNotifyRule,
  listNotifyRules,
  type NotifyRuleRow,
  updateNotifyRule,
} from '@voltkeep/contract/notifications'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { notificationTexts } from './notifications.texts.ts'

const RuleDialog = lazyDialog(() => import('./RuleDialog.tsx'))

const { rules, events, isOn, all } = notificationTexts
const { fields, remove } = rules

const levelsOf = ({ alarmLevels }: NotifyRuleRow) =>
  alarmLevels.length === everyLevel.length
    ? all
    : alarmLevels.map((level) => texts.states.levels[level]).join('、')
const eventsOf = ({ when }: NotifyRuleRow) => when.map((event) => events[event]).join('、')

/** Whom it tells at once. */
const toldBy = ({ channelNames, userNames, roleNames, dutyName }: NotifyRuleRow) =>
  [...channelNames, ...userNames, ...roleNames, ...(dutyName === null ? [] : [dutyName])].join('、')

const stateOf = ({ isEnabled, stopped }: NotifyRuleRow) =>
  stopped && isEnabled === 1 ? (
    <StateTag state="failed">{describeStop(stopped)}</StateTag>
  ) : (
    <StateTag state={isEnabled === 1 ? 'done' : 'stopped'}>{isOn[isEnabled]}</StateTag>
  )

const columns: Column<NotifyRuleRow>[] = [
  textColumn('name', fields.name, { maxWidth: 240, fixed: 'left' }),
  { key: 'when', title: fields.when, render: eventsOf },
  { key: 'levels', title: fields.levels, render: levelsOf },
  {
    key: 'channels',
    title: fields.channels,
    maxWidth: 280,
    render: (rule) => <span title={toldBy(rule)}>{toldBy(rule)}</span>,
  },
  {
    key: 'steps',
    title: fields.steps,
    width: 80,
    render: ({ steps }) => (steps.length > 0 ? rules.stepCount(steps.length) : <Nothing />),
  },
  {
    key: 'wait',
    title: fields.wait,
    width: 96,
    align: 'right',
    render: ({ groupWaitS }) => rules.wait(groupWaitS),
  },
  {
    key: 'quiet',
    title: fields.quiet,
    width: 136,
    render: ({ quietFrom, quietTo }) =>
      quietFrom !== null && quietTo !== null ? rules.quiet(quietFrom, quietTo) : <Nothing />,
  },
  textColumn('ownerName', fields.owner, { key: 'owner', maxWidth: 160 }),
  { key: 'state', title: fields.state, render: stateOf },
]

export function RuleList({ head }: { head: ReactNode }) {
  const list = useList(listNotifyRules)
  return (
    <NounPage
      head={head}
      words={rules}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => <TextFilter of={draft} name="name" label={fields.name} />}
      card={(rule) => ({
        lead: rule.name,
        aside: stateOf(rule),
        second: `${levelsOf(rule)} · ${eventsOf(rule)} · ${toldBy(rule)}`,
      })}
      insert={insertNotifyRule}
      update={updateNotifyRule}
      form={({ row, onClose }) => <RuleDialog rule={row} onClose={onClose} />}
      remove={{
        endpoint: deleteNotifyRule,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale: [listNotifyRules],
      }}
    />
  )
}
