// Above the current alarms: those that have one cause, a line for each.
import { useQuery } from '@tanstack/react-query'
import { type AlarmCauseRow, listAlarmCauses } from '@voltkeep/contract/alarmCauses'
import type { ackAlarms } from '@voltkeep/contract/alarmHandling'
import { type AlarmRow, type listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import { liveDevices } from '@voltkeep/contract/devices'
import type { ParsedInputFor } from '@voltkeep/contract/endpoint'
import { useEffect, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { shortRegion } from '../../../lib/regions.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { askToConfirm } from '../../../ui/buttons/Confirmation.tsx'
import type { List } from '../../../ui/list/useList.ts'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import type { DeedAtOnce } from '../handle/deeds.ts'
import { useHandling } from '../handle/useHandling.tsx'
import { useRights } from '../handle/useRights.ts'
import styles from './causes.module.css'
import { causeTexts } from './causes.texts.ts'

/** Lines before the rest is asked for: the list itself begins in sight. */
const shownAtFirst = 3
/** A storm changes the counts all the time. */
const pauseMs = 2_000

type AlarmList = List<typeof listAlarms.input, AlarmRow>
type Filters = NonNullable<ParsedInputFor<typeof ackAlarms>['filter']>

/** With `causeId` in the address the list is the members of that line, which stands above them alone. */
export default function CauseLines({
  list,
  onCount,
}: {
  list: AlarmList
  /** Told how many lines there are: a list without rows is not without alarms then. */
  onCount: (lines: number) => void
}) {
  const {
    pageNum: _page,
    pageSize: _size,
    sortBy: _by,
    sortOrder: _order,
    ids,
    isCaused: _caused,
    ...filters
  } = list.filters
  const [isWhole, setWhole] = useState(false)
  const lines = useQuery({
    ...reading(listAlarmCauses, filters),
    enabled: ids === undefined,
    retry: false,
    // The list shows connection errors.
    meta: { isQuiet: true },
  })
  useLiveReading(
    lines.refetch,
    (event) => concerns(event, liveAlarms.noun) || concerns(event, liveDevices.noun),
    pauseMs,
  )
  const { causeId } = filters
  const rows = lines.data ?? []
  useEffect(() => onCount(rows.length), [rows.length, onCount])
  const back = () => list.apply({ ...list.filters, causeId: undefined, isCaused: undefined })
  if (ids !== undefined || (causeId === undefined && rows.length === 0)) return null
  const shown = isWhole ? rows : rows.slice(0, shownAtFirst)
  return (
    <section className={styles.lines} aria-label={causeTexts.label}>
      {shown.map((line) => (
        <Line
          key={line.id}
          line={line}
          filters={filters}
          onDone={() => {
            void lines.refetch()
            list.retry()
          }}
          onOpen={
            causeId === undefined
              ? () => list.apply({ ...list.filters, causeId: line.id, isCaused: undefined })
              : undefined
          }
        />
      ))}
      {causeId === undefined && rows.length > shownAtFirst && (
        <button type="button" className="link-button tap" onClick={() => setWhole(!isWhole)}>
          {isWhole ? causeTexts.fewer : causeTexts.more(formatCount(rows.length - shownAtFirst))}
        </button>
      )}
      {causeId !== undefined && (
        <p className={styles.back}>
          {lines.isSuccess && rows.length === 0 && <span>{causeTexts.over}</span>}
          <button type="button" className="link-button tap" onClick={back}>
            {causeTexts.back}
          </button>
        </p>
      )}
    </section>
  )
}

/** One cause: what and where, how much of it, and what can be done about all of it. */
function Line({
  line,
  filters,
  onDone,
  onOpen,
}: {
  line: AlarmCauseRow
  filters: Filters
  onDone: () => void
  /** Undefined where its members are shown already. */
  onOpen: (() => void) | undefined
}) {
  const { mayAck } = useRights()
  const { begin, isPending } = useHandling(() => {}, onDone)
  const { alarmCount, unacknowledgedCount, offlineCount, deviceCount } = line
  const name = nameOf(line)
  const handle = async (deed: DeedAtOnce, count: number, narrowed: object) => {
    const said = formatCount(count)
    const isMeant = await askToConfirm({
      title: causeTexts.askTitle(deed === 'ack' ? causeTexts.ack(said) : causeTexts.claim(said), name),
      body: causeTexts.askBody(said),
    })
    if (isMeant) begin(deed, { filter: { ...filters, causeId: line.id, ...narrowed }, count })
  }
  const figures = [
    alarmCount > 0 && causeTexts.alarms(formatCount(alarmCount)),
    unacknowledgedCount > 0 && causeTexts.unacknowledged(formatCount(unacknowledgedCount)),
    offlineCount > 0 && causeTexts.offline(formatCount(offlineCount)),
    line.kind !== 'cabinet' && causeTexts.devices(formatCount(deviceCount)),
  ].filter((figure) => figure !== false)
  return (
    <article className={styles.line}>
      <span className={styles.what}>
        <LevelTag level={line.alarmLevel} isSign />
        <span className={styles.kind}>{causeTexts.kinds[line.kind]}</span>
        <span className={styles.name} title={line.regionName ?? undefined}>
          {name}
        </span>
      </span>
      <span className={styles.figures}>{figures.join(' · ')}</span>
      <span className={styles.time}>
        <RelativeTime time={line.startTime} isShort />
      </span>
      <span className={styles.deeds}>
        {mayAck && unacknowledgedCount > 0 && (
          <button
            type="button"
            className="link-button tap"
            disabled={isPending}
            onClick={() => void handle('ack', unacknowledgedCount, { handling: ['unacknowledged'] })}
          >
            {causeTexts.ack(formatCount(unacknowledgedCount))}
          </button>
        )}
        {mayAck && alarmCount > 0 && (
          <button
            type="button"
            className="link-button tap"
            disabled={isPending}
            onClick={() => void handle('claim', alarmCount, {})}
          >
            {causeTexts.claim(formatCount(alarmCount))}
          </button>
        )}
        {onOpen && alarmCount > 0 && (
          <button
            type="button"
            className="link-button tap"
            aria-label={causeTexts.openOf(name)}
            onClick={onOpen}
          >
            {causeTexts.open}
          </button>
        )}
      </span>
    </article>
  )
}

function nameOf({ kind, operatorName, regionName, network, equipCode, equipName }: AlarmCauseRow): string {
  const parts = {
    site: [regionName && shortRegion(regionName), operatorName],
    network: [network && causeTexts.network(network)],
    cabinet: [equipCode, equipName],
  }[kind]
  return parts.filter(Boolean).join(' · ')
}
