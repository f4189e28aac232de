// What happens to alarms and devices, as other systems read it: the address, the kinds of events, and the newest ones.
import { useQuery } from '@tanstack/react-query'
import {
  type CloudEvent,
  type FeedType,
  feedAccess,
  feedDays,
  feedTypes,
  readFeed,
} from '@voltkeep/contract/feed'
import { formatDateTime } from '@voltkeep/contract/fields'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { feedTexts as words } from '../feed.texts.ts'
import styles from './feed.module.css'

/** Of each kind, what it has besides the device's id and its operator's. */
const fieldsOf: Record<FeedType, string> = {
  'alarm.raised': 'alarmId, code, value, occurrenceTime',
  'alarm.changed': 'alarmId, code, value, occurrenceTime',
  'alarm.recovered': 'alarmId, code, value, occurrenceTime',
  'alarm.acknowledged': 'alarmId, code, value, occurrenceTime',
  'alarm.closed': 'alarmId, code, value, occurrenceTime',
  'device.online': '',
  'device.offline': '',
  'device.registered': '',
  'device.changed': 'fields',
  'device.deleted': '',
  'device.left': '',
  'device.arrived': '',
  'version.changed': 'partType, addrId, version, fromVersion',
  'upgrade.ended': 'taskId, partType, state',
  'upgrade.finished': 'taskId, state, counts',
  'batch.ended': 'batchId, state',
  'batch.finished': 'batchId, state, counts',
  'advertisement.finished': 'advertisementId, state, counts',
  'log.ended': 'extractionId, state',
  'event.reported': 'eventId, code, value, occurrenceTime',
}

const accessOf = (type: FeedType) => feedAccess[type.slice(0, type.indexOf('.')) as keyof typeof feedAccess]

/** Enough to see what a consumer is told. */
const shownEvents = 20

const callFor = (query: string) =>
  `curl -H "Authorization: Bearer vk_…" "${location.origin}/api${readFeed.path}?${query}"`

export default function FeedView({ title, head }: { title: string; head: ReactNode }) {
  return (
    <section className={styles.page} aria-label={title}>
      <header className={styles.head}>
        <h1>{title}</h1>
        {head}
      </header>
      <div className={styles.part}>
        <h2>{words.connect}</h2>
        <p>{words.intro(feedDays)}</p>
        <dl className={styles.facts}>
          <dt>{words.address}</dt>
          <dd>
            <CopyText text={`${location.origin}/api${readFeed.path}`} />
          </dd>
          <dt>{words.first}</dt>
          <dd>
            <CopyText text={callFor('after=latest')} />
          </dd>
          <dt>{words.later}</dt>
          <dd>
            <CopyText text={callFor('after=$NEXT&waitSeconds=30')} />
          </dd>
          <dt>{words.format}</dt>
          <dd>
            {words.formatWords}{' '}
            <a href="/api/docs" target="_blank" rel="noreferrer">
              {words.docs}
            </a>
          </dd>
        </dl>
        <ol className={styles.steps}>
          {words.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className={styles.quiet}>{words.idle(feedDays)}</p>
      </div>
      <div className={styles.part}>
        <h2>{words.typesTitle}</h2>
        <Table heads={[words.type, words.when, words.access, words.data]}>
          {feedTypes.map((type) => (
            <tr key={type}>
              <th scope="row" className="mono">
                {type}
              </th>
              <td>{words.types[type]}</td>
              <td className="mono">{accessOf(type).join(', ')}</td>
              <td className="mono">{fieldsOf[type]}</td>
            </tr>
          ))}
        </Table>
      </div>
      <Recent />
    </section>
  )
}

/** A table that scrolls by itself where the window is narrower. */
function Table({ heads, children }: { heads: readonly string[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className={styles.scroller} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {heads.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** Read when asked for alone: a first call is what the recording begins with. */
function Recent() {
  const { functionCodes } = useCurrentUser()
  const mayRead = readFeed.access.some((code) => functionCodes.includes(code))
  const [isAsked, setAsked] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({
    ...reading(readFeed, { after: 'recent', limit: shownEvents }),
    enabled: isAsked,
    retry: false,
    meta: { isQuiet: true },
  })
  return (
    <div className={styles.part}>
      <h2>
        {words.recent}
        {mayRead && (
          <Button
            size="small"
            loading={isFetching}
            onClick={() => {
              if (isAsked) void refetch()
              else setAsked(true)
            }}
          >
            {isAsked ? words.again : words.read}
          </Button>
        )}
        <span className={styles.quiet}>{mayRead ? words.recentHint : words.noRight}</span>
      </h2>
      {error && <p role="alert">{error.message}</p>}
      {data && data.events.length === 0 && <EmptyState title={words.none} hint={words.noneHint} />}
      {data && data.events.length > 0 && (
        <Table heads={[words.time, words.type, words.device, words.content]}>
          {data.events.toReversed().map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </Table>
      )}
      {data && (
        <dl className={styles.facts}>
          <dt>{words.next}</dt>
          <dd>
            <CopyText text={data.next} />
          </dd>
        </dl>
      )}
    </div>
  )
}

const saidValue = (value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, one]) => `${name}:${one}`)
        .join(',')
    : [value].flat().join(',')

function Row({ event: { type, subject, time, data } }: { event: CloudEvent }) {
  const { deviceId: _device, operatorId: _operator, ...rest } = data
  return (
    <tr>
      <td>{formatDateTime(new Date(time))}</td>
      <td>
        <span title={type}>{words.types[type].split(/[，;]/)[0]}</span>
      </td>
      <td className="mono">{subject}</td>
      <td className={`mono ${styles.long}`}>
        {Object.entries(rest)
          .map(([name, value]) => `${name}=${saidValue(value)}`)
          .join('  ')}
      </td>
    </tr>
  )
}
