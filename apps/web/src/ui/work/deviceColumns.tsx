import type { Column } from '../list/DataTable.tsx'
import { Nothing } from '../marks/Nothing.tsx'
import { RelativeTime } from '../time/RelativeTime.tsx'
import { type DeviceRow, WorkedDevice } from './DevicePanel.tsx'

export const deviceColumn = (title: string): Column<DeviceRow> => ({
  key: 'code',
  title,
  fixed: 'left',
  render: (row) => <WorkedDevice row={row} />,
})

/** `reasonOf`: the reason as users read it. */
export const reasonColumn = (
  title: string,
  maxWidth: number,
  reasonOf = (reason: string) => reason,
): Column<{ reason: string | null }> => ({
  key: 'reason',
  title,
  maxWidth,
  render: ({ reason }) =>
    reason === null ? <Nothing /> : <span title={reasonOf(reason)}>{reasonOf(reason)}</span>,
})

export const sinceColumn = <Name extends string>(
  name: Name,
  title: string,
): Column<Readonly<Record<Name, string>>> => ({
  key: name,
  title,
  width: 96,
  render: ({ [name]: time }) => <RelativeTime time={time} isShort />,
})
