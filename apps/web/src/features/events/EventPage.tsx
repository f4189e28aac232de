// The list of device events; the last 30 days unless a range is chosen.
import { type EventRow, exportEvents, listEvents } from '@voltkeep/contract/events'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import {
  EquipTypeFilter,
  ModelFilter,
  MoreFilters,
  OwnerFilters,
  RegionFilter,
} from '../../ui/choices/filters.tsx'
import { useSemaphoreLinks } from '../../ui/choices/linked.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'
import { useList } from '../../ui/list/useList.ts'
import { FlagTag } from '../../ui/marks/FlagTag.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { EventDetail } from './EventDetail.tsx'
import { EventValue } from './EventValue.tsx'
import styles from './events.module.css'
import { eventTexts } from './events.texts.ts'

const { fields } = eventTexts
const shared = texts.fields
/** What is asked most stands in one line with the buttons. */
const folded = ['code', 'regionCode', 'organizationId', 'operatorId', 'equipTypeId', 'equipModelId']

export default function EventPage() {
  const { title } = usePage()
  const list = useList(listEvents, { assumed: useLastMonth() })
  const row = useOpenRow()
  const linked = useSemaphoreLinks('EVENT')

  const columns: Column<EventRow>[] = [
    textColumn('occurrenceTime', shared.occurrenceTime, { sortBy: 'occurrenceTime', width: 158 }),
    {
      key: 'device',
      title: shared.code,
      fixed: 'left',
      render: ({ code, equipId, isOnline }) => <DeviceCode code={code} id={equipId} isOnline={isOnline} />,
    },
    {
      key: 'name',
      title: fields.name,
      maxWidth: 280,
      render: ({ semaphoreName, semaphoreCode }) => (
        <span title={`${semaphoreName} ${semaphoreCode}`}>
          {semaphoreName}
          {semaphoreName !== semaphoreCode && <span className={styles.code}>{semaphoreCode}</span>}
        </span>
      ),
    },
    {
      key: 'value',
      title: fields.value,
      width: 96,
      align: 'right',
      render: (event) => <EventValue of={event} />,
    },
    textColumn('equipName', shared.name, { maxWidth: 200 }),
    textColumn('operatorName', shared.operator, { key: 'operator', maxWidth: 168 }),
    textColumn('equipModelName', shared.model, { key: 'model', maxWidth: 140 }),
    { key: 'flag', title: shared.flag, width: 64, render: ({ flag }) => <FlagTag flag={flag} /> },
    {
      key: 'data',
      title: fields.data,
      width: 84,
      // Few events have any: an empty cell is quieter than a sign.
      render: (event) =>
        event.data !== null && (
          <button
            type="button"
            className="link-button"
            onClick={() => row.open(event.id, event.occurrenceTime)}
          >
            {eventTexts.view}
          </button>
        ),
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={eventTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linked={linked}
        filters={(draft) => (
          <>
            <RangeFilter of={draft} label={fields.range} hasTime />
            <TextFilter of={draft} name="semaphoreName" label={fields.name} placeholder={fields.nameHint} />
            <MoreFilters of={draft} fields={folded}>
              <CodesFilter of={draft} label={shared.code} />
              <RegionFilter of={draft} />
              <OwnerFilters of={draft} />
              <EquipTypeFilter of={draft} />
              <ModelFilter of={draft} />
            </MoreFilters>
          </>
        )}
        actions={
          <ExportButton endpoint={exportEvents} filters={list.filters} isDisabled={list.total === 0} />
        }
        card={(event) => ({
          lead: (
            <>
              {event.semaphoreName} {event.unit !== null && <EventValue of={event} />}
            </>
          ),
          aside: <RelativeTime time={event.occurrenceTime} isShort />,
          second: [event.code, event.equipName, event.operatorName].filter(Boolean).join(' · '),
          action: <FlagTag flag={event.flag} />,
        })}
        onOpen={({ id, occurrenceTime }) => row.open(id, occurrenceTime)}
        openKey={row.id}
        empty={{ title: eventTexts.empty, hint: eventTexts.emptyHint }}
        emptyFiltered={eventTexts.emptyFiltered}
      />
      {row.id && (
        <EventDetail
          id={row.id}
          at={row.at}
          rows={list.rows}
          onOpen={(event) => row.open(event.id, event.occurrenceTime)}
          onClose={row.close}
        />
      )}
    </>
  )
}
