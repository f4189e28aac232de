// The list of handovers.
import {
  draftHandover,
  type HandoverRow,
  handoverStates,
  listHandovers,
  liveHandovers,
} from '@voltkeep/contract/handover'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { HandoverTag } from './HandoverTag.tsx'
import { useOpenHandover } from './handover.page.ts'
import { handoverTexts } from './handover.texts.ts'

const DraftDialog = lazyDialog(() => import('./DraftDialog.tsx'))

const { fields, shift } = handoverTexts

const columns: Column<HandoverRow>[] = [
  {
    key: 'shift',
    title: fields.shift,
    width: 312,
    fixed: 'left',
    render: ({ startTime, endTime }) => shift(startTime, endTime),
  },
  { key: 'state', title: fields.state, width: 120, render: (row) => <HandoverTag of={row} /> },
  textColumn('organizationName', fields.organization, { maxWidth: 180 }),
  textColumn('draftUserName', fields.drafter, { maxWidth: 140 }),
  textColumn('signUserName', fields.signer, { maxWidth: 140 }),
  timeColumn('signTime', fields.signTime),
  textColumn('note', fields.note, { maxWidth: 320 }),
]

/** All of the own organizations, the latest shift first. */
export function HandoverList() {
  const { title } = usePage()
  const list = useList(listHandovers)
  const open = useOpenHandover()
  useLiveReading(list.retry, (event) => event.type !== 'ready' && concerns(event, liveHandovers.noun), 400)
  const adding = useAdding(draftHandover, handoverTexts)
  return (
    <>
      <ListPage
        title={title}
        measure={handoverTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <ChoiceFilter
              of={draft}
              name="states"
              label={fields.state}
              isMultiple
              options={choicesOf(handoverStates, handoverTexts.states)}
            />
            <RangeFilter of={draft} label={fields.shift} hasPresets={false} />
          </>
        )}
        actions={adding.button}
        card={(row) => ({
          lead: shift(row.startTime, row.endTime),
          aside: <HandoverTag of={row} />,
          second: [row.organizationName, row.draftUserName, row.signUserName].filter(Boolean).join(' · '),
        })}
        onOpen={({ id }) => open(id, openedFrom(list.rows))}
        empty={adding.empty}
        emptyFiltered={handoverTexts.emptyFiltered}
      />
      {adding.isOpen && <DraftDialog last={list.rows[0]} onDone={(id) => open(id)} onClose={adding.close} />}
    </>
  )
}
