// A battery's way through the cabinets: a stay a row, the newest first.
import { liveBatteries, type StayRow, trackBattery } from '@voltkeep/contract/batteries'
import { useMemo } from 'react'
import { formatDuration, readWireTime } from '../../../lib/format.ts'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { shortRegion } from '../../../lib/regions.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { InlineList } from '../../../ui/list/InlineList.tsx'
import { textColumn, timeColumn } from '../../../ui/list/plainColumns.tsx'
import { usePanelList } from '../../../ui/list/useInlineList.ts'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import { Charge, ConflictTag } from '../BatteryState.tsx'
import styles from '../batteries.module.css'
import { batteryTexts } from '../batteries.texts.ts'

const { battery: words, fields } = batteryTexts

/** Of one that goes on: until it was last seen. */
function stayed({ startTime, endTime, seenTime }: StayRow): string | null {
  const [from, to] = [readWireTime(startTime), readWireTime(endTime ?? seenTime)]
  return from && to ? formatDuration(to.getTime() - from.getTime()) : null
}

/** Of one day: the day once. */
function span({ startTime, endTime }: StayRow): string {
  const [day] = startTime.split(' ')
  const end = endTime?.startsWith(`${day} `) ? endTime.slice(11) : endTime
  return words.span(startTime, end ?? words.still)
}

function End({ of: { endTime, seenTime, isConflict } }: { of: StayRow }) {
  return (
    <span className={styles.states}>
      {endTime ?? <span title={words.seenAt(seenTime)}>{words.still}</span>}
      {isConflict && <ConflictTag />}
    </span>
  )
}

const columns: Column<StayRow>[] = [
  {
    key: 'device',
    title: fields.device,
    fixed: 'left',
    render: ({ deviceCode, deviceId }) => <DeviceCode code={deviceCode} id={deviceId} />,
  },
  {
    key: 'compartment',
    title: fields.compartment,
    width: 76,
    render: ({ compartment }) => batteryTexts.compartment(compartment),
  },
  textColumn('deviceName', fields.deviceName, { maxWidth: 'max(160px, 16vw)' }),
  {
    key: 'region',
    title: fields.region,
    maxWidth: 200,
    render: ({ regionName }) => <span title={regionName}>{shortRegion(regionName)}</span>,
  },
  timeColumn('startTime', fields.startTime),
  { key: 'endTime', title: fields.endTime, maxWidth: 256, render: (stay) => <End of={stay} /> },
  { key: 'stayed', title: fields.stayed, width: 132, render: (stay) => stayed(stay) ?? <Nothing /> },
  { key: 'socIn', title: fields.socIn, width: 104, render: ({ socIn }) => <Charge value={socIn} /> },
  { key: 'socOut', title: fields.socOut, width: 104, render: ({ socOut }) => <Charge value={socOut} /> },
  {
    key: 'charged',
    title: fields.charged,
    width: 76,
    align: 'right',
    render: ({ socIn, socOut }) =>
      socIn === null || socOut === null ? <Nothing /> : batteryTexts.points(Math.round(socOut - socIn)),
  },
]

export function BatteryTrack({ code }: { code: string }) {
  const owner = useMemo(() => ({ code }), [code])
  const source = usePanelList(trackBattery, owner)
  useLiveReading(source.paging.retry, (event) => concerns(event, liveBatteries.noun, code))
  return (
    <WatchPart title={words.track}>
      <InlineList
        source={source}
        label={words.track}
        measure={words.stayMeasure}
        columns={columns}
        rows={source.rows}
        card={(stay) => ({
          lead: (
            <>
              <DeviceCode code={stay.deviceCode} id={stay.deviceId} />{' '}
              {batteryTexts.compartment(stay.compartment)}
            </>
          ),
          aside: stayed(stay),
          second: span(stay),
          action: stay.isConflict ? <ConflictTag /> : <Charge value={stay.socOut} />,
        })}
        empty={words.noTrack}
      >
        {null}
      </InlineList>
    </WatchPart>
  )
}
