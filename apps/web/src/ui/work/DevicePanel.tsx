// One device of a work, beside the list of them.
import type { LiveNoun } from '@voltkeep/contract/live'
import type { ReactNode } from 'react'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { DeviceCode } from '../DeviceCode.tsx'
import { DetailPanel } from '../detail/DetailPanel.tsx'
import { stepsFrom } from '../detail/steps.tsx'
import { UnreadPanel } from '../detail/UnreadPanel.tsx'

/** What the row of a device has in every work. */
export interface DeviceRow {
  id: string
  equipId: string
  code: string
  isOnline: 0 | 1 | null
}

/** The place of a panel beside its list. */
export interface DevicePanelProps<Row> {
  id: string
  /** The rows of the list: the steps go through them, and the open one is shown until the answer arrives. */
  rows: readonly Row[]
  onOpen: (row: Row) => void
  onClose: () => void
}

interface Shown<Row extends DeviceRow> extends DevicePanelProps<Row> {
  /** The list's call, asked for this row. */
  query: {
    data: { rows: readonly Row[] } | undefined
    error: CallError | null
    isFetching: boolean
    refetch: () => unknown
  }
  /** What happened to it, which is read again together with it. */
  history: { refetch: () => unknown }
  noun: LiveNoun
  words: { title: string; notFound: string; measure: string }
  show: (row: Row) => { tags: ReactNode; mainAction: ReactNode; parts: ReactNode }
}

export function DevicePanel<Row extends DeviceRow>({
  id,
  rows,
  onOpen,
  onClose,
  query,
  history,
  noun: { noun },
  words: { title, notFound, measure },
  show,
}: Shown<Row>) {
  useLiveReading(
    () => Promise.all([query.refetch(), history.refetch()]),
    (event) => concerns(event, noun, id),
  )
  const row = [...(query.data?.rows ?? []), ...rows].find((each) => each.id === id)
  if (!row) return <UnreadPanel title={title} notFound={notFound} query={query} onClose={onClose} />
  const { parts, ...head } = show(row)
  return (
    <DetailPanel
      title={<span className="mono">{row.code}</span>}
      {...head}
      steps={stepsFrom(rows, id, onOpen, measure)}
      of={id}
      onClose={onClose}
    >
      {parts}
    </DetailPanel>
  )
}

export function WorkedDevice({ row: { code, equipId, isOnline } }: { row: DeviceRow }) {
  return <DeviceCode code={code} id={equipId} isOnline={isOnline ?? 0} />
}
