// The tab of rotas.
import { type DutyRow, deleteDuty, insertDuty, listDuties, updateDuty } from '@voltkeep/contract/duties'
import type { ReactNode } from 'react'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { notificationTexts } from './notifications.texts.ts'

const DutyDialog = lazyDialog(() => import('./DutyDialog.tsx'))

const { duties } = notificationTexts
const { fields, remove } = duties

const membersOf = ({ memberNames }: DutyRow) =>
  memberNames.map((name) => name ?? duties.goneMember).join('、')

function gapOf({ nextGap }: DutyRow) {
  if (!nextGap?.problem) return <StateTag state="done">{duties.noGap}</StateTag>
  const { from, to, userName, problem } = nextGap
  return <StateTag state="failed">{duties.gap(from, to, duties.problems[problem], userName)}</StateTag>
}

const columns: Column<DutyRow>[] = [
  textColumn('name', fields.name, { maxWidth: 240, fixed: 'left' }),
  { key: 'now', title: fields.now, render: ({ nowUserName }) => nowUserName ?? <Nothing /> },
  {
    key: 'members',
    title: fields.members,
    maxWidth: 300,
    render: (duty) => <span title={membersOf(duty)}>{membersOf(duty)}</span>,
  },
  {
    key: 'handover',
    title: fields.handover,
    render: ({ handoverAt, lengthHours, timeZone }) => duties.handover(handoverAt, lengthHours, timeZone),
  },
  { key: 'gap', title: fields.gap, render: gapOf },
]

export function DutyList({ head }: { head: ReactNode }) {
  const list = useList(listDuties)
  return (
    <NounPage
      head={head}
      words={duties}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => <TextFilter of={draft} name="name" label={fields.name} />}
      card={(duty) => ({
        lead: duty.name,
        aside: duty.nowUserName ?? duties.nobodyNow,
        second: gapOf(duty),
      })}
      insert={insertDuty}
      update={updateDuty}
      form={({ row, onClose }) => <DutyDialog duty={row} onClose={onClose} />}
      remove={{
        endpoint: deleteDuty,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale: [listDuties],
      }}
    />
  )
}
