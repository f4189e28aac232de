// The list of batteries in the user's scope: where each is, and what it does.
import {
  type BatteryFilter,
  type BatteryRow,
  batteryFilterNames,
  exportBatteries,
  listBatteries,
  liveBatteries,
} from '@voltkeep/contract/batteries'
import { usePage } from '../../lib/pages.ts'
import { shortRegion } from '../../lib/regions.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { OwnerFilters, RegionFilter } from '../../ui/choices/filters.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { BatteryState, Charge } from './BatteryState.tsx'
import { useOpenBattery } from './batteries.page.ts'
import { batteryTexts } from './batteries.texts.ts'

const { fields } = batteryTexts

const liveOptions: LiveListOptions<BatteryRow> = {
  // A battery that leaves stays in the list.
  anyState: {},
  isChanged: (before, after) => before.state !== after.state || before.deviceId !== after.deviceId,
}

const columns: Column<BatteryRow>[] = [
  { key: 'code', title: fields.code, fixed: 'left', render: ({ code }) => <CopyText text={code} /> },
  { key: 'state', title: fields.state, width: 176, render: (row) => <BatteryState of={row} /> },
  { key: 'soc', title: fields.soc, width: 104, render: ({ soc }) => <Charge value={soc} /> },
  {
    key: 'soh',
    title: fields.soh,
    width: 72,
    align: 'right',
    render: ({ soh }) => (soh === null ? <Nothing /> : batteryTexts.percent(Math.round(soh))),
  },
  {
    key: 'temperature',
    title: fields.temperature,
    width: 84,
    align: 'right',
    render: ({ temperature }) =>
      temperature === null ? <Nothing /> : batteryTexts.degrees(Math.round(temperature * 10) / 10),
  },
  {
    key: 'device',
    title: fields.device,
    render: ({ deviceCode, deviceId, isOnline }) => (
      <DeviceCode code={deviceCode} id={deviceId} isOnline={isOnline} />
    ),
  },
  {
    key: 'compartment',
    title: fields.compartment,
    width: 76,
    render: ({ compartment }) => batteryTexts.compartment(compartment),
  },
  textColumn('operatorName', fields.operator, { key: 'operator', maxWidth: 168 }),
  {
    key: 'region',
    title: fields.region,
    maxWidth: 180,
    render: ({ regionName }) => <span title={regionName}>{shortRegion(regionName)}</span>,
  },
  timeColumn('startTime', fields.since),
  {
    key: 'seen',
    title: fields.seen,
    width: 96,
    render: ({ seenTime }) => <RelativeTime time={seenTime} isShort />,
  },
]

export function BatteryList() {
  const { title } = usePage()
  const list = useList(listBatteries)
  const live = useLiveList(list, liveBatteries, liveOptions)
  const openBattery = useOpenBattery()
  return (
    <ListPage
      title={title}
      measure={batteryTexts.measure}
      list={{ ...list, rows: live.rows }}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="code" label={fields.code} />
          <ChoiceFilter
            of={draft}
            name="state"
            label={fields.state}
            options={choicesOf(Object.keys(batteryFilterNames) as BatteryFilter[], batteryFilterNames)}
          />
          <OwnerFilters of={draft} />
          <RegionFilter of={draft} />
        </>
      )}
      actions={
        <ExportButton endpoint={exportBatteries} filters={list.filters} isDisabled={list.total === 0} />
      }
      card={(row) => ({
        lead: <CopyText text={row.code} />,
        aside: <BatteryState of={row} />,
        second: `${row.deviceCode} · ${batteryTexts.compartment(row.compartment)}`,
        action: <Charge value={row.soc} />,
      })}
      onOpen={({ code }) => openBattery(code, openedFrom(live.rows))}
      changedKeys={live.changedKeys}
      live={{ count: live.isStale ? 1 : 0, text: () => batteryTexts.stale, onShow: live.show }}
      empty={{ title: batteryTexts.empty, hint: batteryTexts.emptyHint }}
      emptyFiltered={batteryTexts.emptyFiltered}
    />
  )
}
