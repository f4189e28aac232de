// The devices of a work: each with its state, in a list that is filtered and stepped through, and one of them beside it.
import type { ReactNode } from 'react'
import { choicesOf } from '../choices/choicesOf.ts'
import { useOpenRow } from '../detail/useOpenRow.ts'
import { InlineCodes } from '../list/InlineCodes.tsx'
import { InlineChip, InlineList, type InlineListProps, InlineSelect } from '../list/InlineList.tsx'
import type { InlineSource } from '../list/useInlineList.ts'
import type { LiveList } from '../list/useLiveList.ts'
import type { DevicePanelProps, DeviceRow } from './DevicePanel.tsx'
import { workTexts } from './work.texts.ts'

export interface WorkDevicesProps<Row extends DeviceRow, State extends string>
  extends Pick<InlineListProps<Row>, 'label' | 'measure' | 'columns' | 'expected' | 'empty'> {
  source: InlineSource<{
    states?: readonly State[] | undefined
    reason?: string | undefined
    code?: readonly string[] | undefined
  }>
  live: LiveList<Row>
  states: { label: string; order: readonly State[]; words: Readonly<Record<State, string>> }
  /** On a phone: the row's state, and its second line. */
  markOf: (row: Row) => ReactNode
  secondOf: (row: Row) => string
  /** A reason as users read it. */
  reasonOf?: (reason: string) => string
  /** Filters of the noun's own, behind that of states. */
  children?: ReactNode
  panel: (props: DevicePanelProps<Row>) => ReactNode
}

/** The devices, page by page; live updates change them in place. */
export function WorkDevices<Row extends DeviceRow, State extends string>({
  source,
  live: { rows, changedKeys, isStale, show },
  states: { label, order, words },
  markOf,
  secondOf,
  reasonOf = (reason) => reason,
  children,
  panel,
  ...list
}: WorkDevicesProps<Row, State>) {
  const open = useOpenRow()
  const { narrow } = source
  const { states, reason, code } = source.filters
  return (
    <>
      <InlineList
        {...list}
        source={source}
        news={isStale ? { text: workTexts.stale, onShow: show } : undefined}
        rows={rows}
        card={(row) => ({
          lead: <span className="mono">{row.code}</span>,
          aside: markOf(row),
          second: secondOf(row),
        })}
        onOpen={({ id }) => open.open(id)}
        openKey={open.id}
        changedKeys={changedKeys}
      >
        <InlineSelect
          label={label}
          mode="multiple"
          placeholder={workTexts.allStates}
          value={[...(states ?? [])]}
          options={choicesOf(order, words)}
          onChange={(next) => narrow({ states: next.length > 0 ? next : undefined, reason: undefined })}
        />
        {children}
        <InlineCodes value={code} onChange={(next) => narrow({ code: next })} />
        {reason !== undefined && (
          <InlineChip onDrop={() => narrow({ reason: undefined })}>{reasonOf(reason)}</InlineChip>
        )}
      </InlineList>
      {open.id && panel({ id: open.id, rows, onOpen: ({ id }) => open.open(id), onClose: open.close })}
    </>
  )
}
