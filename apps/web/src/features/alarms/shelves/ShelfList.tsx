// The tab of shelves and windows: who, why, of what, until when.
import { useQuery } from '@tanstack/react-query'
import {
  type AlarmShelfRow,
  endAlarmShelf,
  endIdleShelves,
  insertAlarmShelf,
  listAlarmShelves,
  shelfKindNames,
  shelfKinds,
  shelfStates,
  updateAlarmShelf,
} from '@voltkeep/contract/alarmShelves'
import { describeStop } from '@voltkeep/contract/deciders'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { usePage } from '../../../lib/pages.ts'
import { shelfScope } from '../../../lib/shelfScope.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { useAdding } from '../../../ui/buttons/adding.tsx'
import { ConfirmButton } from '../../../ui/buttons/ConfirmButton.tsx'
import { DeleteRow } from '../../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../../ui/buttons/RowActions.tsx'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { CodesFilter } from '../../../ui/list/CodesFilter.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { ChoiceFilter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { operationColumn } from '../../../ui/list/plainColumns.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { usePermission } from '../../../ui/Permitted.tsx'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { staleAfterDeed } from '../handle/handled.ts'
import { shelfTexts } from './shelves.texts.ts'

const ShelfDialog = lazyDialog(() => import('./ShelfDialog.tsx'))

const { fields, states, end } = shelfTexts
const looks = { active: 'running', planned: 'waiting', over: 'stopped' } as const

const whatOf = (shelf: AlarmShelfRow) =>
  shelfScope({
    ...shelf,
    placeNames: [
      shelf.organizationName,
      shelf.operatorName,
      shelf.regionName,
      shelf.equipTypeName,
      shelf.equipModelName,
    ],
  })

const repeatOf = ({ repeat }: AlarmShelfRow) =>
  repeat === null ? '' : (shelfTexts.repeats[repeat] ?? shelfTexts.otherRepeat)

function timeOf(shelf: AlarmShelfRow): string {
  const [next] = shelf.next
  if (shelf.timeZone !== null && next)
    return [repeatOf(shelf), `${next.localStartTime} – ${next.localEndTime}`, shelf.timeZone]
      .filter(Boolean)
      .join(' ')
  return shelf.endTime === null ? shelfTexts.withoutEnd : shelfTexts.untilTime(shelf.endTime)
}

/** The next three of a window, for who looks closer. */
const nextOf = ({ next }: AlarmShelfRow) =>
  next.length === 0
    ? undefined
    : [shelfTexts.next, ...next.map((one) => `${one.localStartTime} – ${one.localEndTime}`)].join('\n')

function stateOf(shelf: AlarmShelfRow) {
  if (shelf.stopped) return <StateTag state="failed">{describeStop(shelf.stopped)}</StateTag>
  if (shelf.isIdle)
    return (
      <span title={shelfTexts.idle}>
        <StateTag state="paused">{shelfTexts.idleShort}</StateTag>
      </span>
    )
  const ended = shelf.endBy && shelf.endedTime ? shelfTexts.endedBy(shelf.endBy, shelf.endedTime) : undefined
  return (
    <span title={ended}>
      <StateTag state={looks[shelf.state]}>{states[shelf.state]}</StateTag>
    </span>
  )
}

const columns: Column<AlarmShelfRow>[] = [
  { key: 'kind', title: fields.kind, width: 96, render: ({ kind }) => shelfKindNames[kind] },
  {
    key: 'what',
    title: fields.scope,
    maxWidth: 360,
    render: (shelf) => <span title={whatOf(shelf)}>{whatOf(shelf)}</span>,
  },
  {
    key: 'time',
    title: fields.time,
    maxWidth: 360,
    render: (shelf) => <span title={nextOf(shelf)}>{timeOf(shelf)}</span>,
  },
  {
    key: 'reason',
    title: fields.reason,
    maxWidth: 240,
    render: ({ reason }) => <span title={reason}>{reason}</span>,
  },
  {
    key: 'maker',
    title: fields.maker,
    maxWidth: 160,
    render: ({ createBy, approveBy }) => (
      <span title={approveBy ? shelfTexts.approvedBy(approveBy) : undefined}>{createBy}</span>
    ),
  },
  {
    key: 'matched',
    title: fields.matched,
    width: 96,
    align: 'right',
    render: ({ matchedCount }) => formatCount(matchedCount),
  },
  { key: 'state', title: fields.state, width: 128, render: stateOf },
]

export default function ShelfList({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useList(listAlarmShelves)
  const adding = useAdding(insertAlarmShelf, shelfTexts)
  const hasLong = usePermission('alarm:shelve:long')
  const mayEnd = usePermission(endAlarmShelf.access)
  const idle = useQuery({
    ...reading(listAlarmShelves, { isIdle: 1, pageNum: 1, pageSize: 200 }),
    enabled: mayEnd,
    meta: { isQuiet: true },
  })
  const idleCount = idle.data?.rows.filter((shelf) => shelf.mayEnd).length ?? 0
  const endingIdle = useWriting(endIdleShelves, [listAlarmShelves, ...staleAfterDeed], { said: end.done })
  const [changed, setChanged] = useState<AlarmShelfRow>()
  const mayChange = usePermission(updateAlarmShelf.access)
  const actions = (shelf: AlarmShelfRow) => (
    <RowActions>
      {mayChange && shelf.mayChange && (
        <RowButton onClick={() => setChanged(shelf)}>{shelfTexts.change}</RowButton>
      )}
      {shelf.mayEnd && (
        <DeleteRow
          endpoint={endAlarmShelf}
          input={{ id: shelf.id }}
          stale={[listAlarmShelves, ...staleAfterDeed]}
          words={end}
          asks={[end.ask, end.warn]}
        />
      )}
    </RowActions>
  )
  return (
    <>
      <ListPage
        title={title}
        head={head}
        measure={shelfTexts.measure}
        list={list}
        columns={mayEnd ? [...columns, operationColumn(128, actions)] : columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <ChoiceFilter
              of={draft}
              name="kind"
              label={fields.kind}
              options={choicesOf(shelfKinds, shelfKindNames)}
            />
            <ChoiceFilter
              of={draft}
              name="states"
              label={fields.state}
              isMultiple
              options={choicesOf(shelfStates, states)}
            />
            <ChoiceFilter
              of={draft}
              name="isIdle"
              label={shelfTexts.idleShort}
              options={[{ value: 1, label: shelfTexts.idleShort }]}
            />
            <CodesFilter of={draft} label={fields.device} />
          </>
        )}
        actions={
          <>
            {idleCount > 0 && (
              <ConfirmButton
                title={shelfTexts.endIdle.title}
                body={<p>{shelfTexts.endIdle.body(formatCount(idleCount))}</p>}
                confirmLabel={end.action}
                onConfirm={() => endingIdle.mutateAsync({ count: idleCount })}
              >
                {shelfTexts.endIdle.label(formatCount(idleCount))}
              </ConfirmButton>
            )}
            {adding.button}
          </>
        }
        card={(shelf) => ({
          lead: whatOf(shelf),
          aside: stateOf(shelf),
          second: `${shelfKindNames[shelf.kind]} · ${timeOf(shelf)} · ${shelf.createBy}：${shelf.reason}`,
          ...(mayEnd && { action: actions(shelf) }),
        })}
        empty={adding.empty}
        emptyFiltered={shelfTexts.emptyFiltered}
      />
      {adding.isOpen && <ShelfDialog hasLong={hasLong} onClose={adding.close} />}
      {changed && (
        <ShelfDialog
          key={changed.id}
          shelf={changed}
          hasLong={hasLong}
          onClose={() => setChanged(undefined)}
        />
      )}
    </>
  )
}
