// What cabinets have to give, by cabinet, operator or region; those about to run out first.
import { useQuery } from '@tanstack/react-query'
import {
  exportStock,
  listStock,
  liveStock,
  lowStock,
  readStock,
  type StockGroup,
  type StockRow,
  stockGroupNames,
} from '@voltkeep/contract/stock'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { usePage } from '../../lib/pages.ts'
import { shortRegion } from '../../lib/regions.ts'
import { reading } from '../../lib/wire/reading.ts'
import { FullFewerFilter } from '../../ui/choices/DeviceFilters.tsx'
import { MoreFilters, OwnerFilters, RegionFilter } from '../../ui/choices/filters.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { useLiveList } from '../../ui/list/useLiveList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './stock.module.css'
import { stockTexts } from './stock.texts.ts'
import { useLiveGroups } from './useLiveGroups.ts'

const { fields } = stockTexts
const counts = ['full', 'charging', 'idle', 'empty', 'faulty', 'disabled', 'usable'] as const
const groups = Object.keys(stockGroupNames) as StockGroup[]

const owners = ['organizationId', 'operatorId']

const devicePage = 'equipment/list'

const isChanged = (before: StockRow, after: StockRow) => counts.some((key) => before[key] !== after[key])

export default function StockPage() {
  const { title } = usePage()
  const list = useList(listStock)
  const { groupBy, pageNum: _page, pageSize: _size, ...filters } = list.filters
  const low = list.filters.fullFewerThan ?? lowStock
  const sum = useQuery({ ...reading(readStock, filters), retry: false, meta: { isQuiet: true } })
  useLiveReading(sum.refetch, (event) => concerns(event, liveStock.noun))
  const isByDevice = groupBy === 'device'
  const live = useLiveList(list, liveStock, { isChanged, isOff: !isByDevice })
  const grouped = useLiveGroups(list)
  const isLow = (row: StockRow) => isByDevice && row.full < low

  const countColumns: Column<StockRow>[] = counts.map((key) => ({
    key,
    title: key === 'usable' ? <span title={stockTexts.usableTitle}>{fields.usable}</span> : fields[key],
    width: 84,
    align: 'right',
    render: (row) => <Count value={row[key]} isLow={key === 'full' && isLow(row)} />,
  }))
  const columns: Column<StockRow>[] = isByDevice
    ? [
        {
          key: 'device',
          title: fields.device,
          fixed: 'left',
          render: ({ id, code, isOnline }) => (
            <DeviceCode code={code ?? id} id={id} {...(isOnline !== null && { isOnline })} />
          ),
        },
        ...countColumns,
        textColumn('operatorName', fields.operator, { key: 'operator', maxWidth: 168 }),
        {
          key: 'region',
          title: fields.region,
          maxWidth: 180,
          render: ({ regionName }) => <span title={regionName ?? ''}>{shortRegion(regionName ?? '')}</span>,
        },
        {
          key: 'changed',
          title: fields.changed,
          width: 226,
          render: ({ changeTime }) => <RelativeTime time={changeTime} />,
        },
      ]
    : [
        {
          key: 'name',
          title: fields[groupBy],
          fixed: 'left',
          maxWidth: 320,
          render: ({ name }) => <span title={name ?? ''}>{name}</span>,
        },
        {
          key: 'devices',
          title: fields.devices,
          width: 96,
          align: 'right',
          render: (row) => <Devices row={row} groupBy={groupBy} />,
        },
        {
          key: 'low',
          title: <span title={stockTexts.lowTitle(low)}>{fields.low}</span>,
          width: 104,
          align: 'right',
          render: (row) => <LowDevices row={row} groupBy={groupBy} low={low} />,
        },
        ...countColumns,
      ]

  return (
    <ListPage
      title={title}
      measure={stockTexts.measures[groupBy]}
      list={{ ...list, rows: isByDevice ? live.rows : grouped }}
      columns={columns}
      keyOf={({ id }) => id}
      head={
        <Tabs
          label={stockTexts.groups}
          active={groupBy}
          onChange={(next) => list.apply({ ...list.filters, groupBy: next })}
          tabs={groups.map((key) => ({ key, title: stockGroupNames[key] }))}
        />
      }
      filters={(draft) => (
        <>
          <CodesFilter of={draft} label={fields.device} />
          <FullFewerFilter of={draft} />
          <RegionFilter of={draft} />
          <MoreFilters of={draft} fields={owners}>
            <OwnerFilters of={draft} />
          </MoreFilters>
        </>
      )}
      strip={
        <dl className={styles.sums} aria-label={stockTexts.sums}>
          <div>
            <dt>{fields.devices}</dt>
            <dd>{sum.data && formatCount(sum.data.deviceCount)}</dd>
          </div>
          <div>
            <dt title={stockTexts.lowTitle(low)}>{fields.low}</dt>
            <dd>{sum.data && formatCount(sum.data.lowCount)}</dd>
          </div>
          {counts.map((key) => (
            <div key={key}>
              <dt>{fields[key]}</dt>
              <dd>{sum.data && formatCount(sum.data[key])}</dd>
            </div>
          ))}
        </dl>
      }
      actions={<ExportButton endpoint={exportStock} filters={list.filters} isDisabled={list.total === 0} />}
      changedKeys={live.changedKeys}
      live={{ count: live.isStale ? 1 : 0, text: () => stockTexts.stale, onShow: live.show }}
      card={(row) => ({
        lead: isByDevice ? (
          <DeviceCode
            code={row.code ?? row.id}
            id={row.id}
            {...(row.isOnline !== null && { isOnline: row.isOnline })}
          />
        ) : (
          row.name
        ),
        aside: isByDevice ? null : <Devices row={row} groupBy={groupBy} />,
        second: counts
          .filter((key) => key !== 'full' && key !== 'usable' && row[key] > 0)
          .map((key) => `${fields[key]} ${formatCount(row[key])}`)
          .join(' · '),
        action: (
          <span>
            {fields.full} <Count value={row.full} isLow={isLow(row)} />
          </span>
        ),
      })}
      empty={{ title: stockTexts.empty, hint: stockTexts.emptyHint }}
      emptyFiltered={stockTexts.emptyFiltered}
    />
  )
}

function Count({ value, isLow = false }: { value: number; isLow?: boolean }) {
  return (
    <span className={styles.count} data-low={isLow || undefined} data-none={value === 0 || undefined}>
      {formatCount(value)}
    </span>
  )
}

const placeOf = (groupBy: StockGroup, { id }: StockRow) =>
  groupBy === 'region' ? { regionCode: id } : { operatorId: id }

function Devices({ row, groupBy }: { row: StockRow; groupBy: StockGroup }) {
  return (
    <PageLink page={devicePage} search={placeOf(groupBy, row)} className="tap">
      {stockTexts.count(formatCount(row.deviceCount), stockTexts.measures.device)}
    </PageLink>
  )
}

function LowDevices({ row, groupBy, low }: { row: StockRow; groupBy: StockGroup; low: number }) {
  if (row.lowCount === 0) return <Count value={0} />
  return (
    <PageLink page={devicePage} search={{ ...placeOf(groupBy, row), fullFewerThan: low }} className="tap">
      {stockTexts.count(formatCount(row.lowCount), stockTexts.measures.device)}
    </PageLink>
  )
}
