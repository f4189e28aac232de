import { useQuery } from '@tanstack/react-query'
import { type Overview, readOverview } from '@voltkeep/contract/overview'
import { useEffect } from 'react'
import { formatCount, formatShare } from '../../lib/format.ts'
import { useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LevelSign, LevelTag } from '../../ui/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { DayBars } from './DayBars.tsx'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'

const words = overviewTexts
const alarmPage = 'maintenance/exitWarning'
const devicePage = 'equipment/list'
/** The summary counts the whole fleet: at most one reading in this time. */
const restMs = 3_000

/** What is wrong right now, how much, and where to go. */
export function OverviewPage() {
  const query = useQuery({ ...reading(readOverview, {}), refetchInterval: 60_000 })
  const { refetch } = query
  useLiveReading(refetch, () => true, restMs)
  useEffect(() => {
    document.title = `${words.title} · ${texts.product.name}`
  }, [])

  if (query.error && !query.data) {
    return (
      <EmptyState
        title={texts.list.failed}
        hint={query.error.message}
        action={
          <button type="button" className="button" onClick={() => void refetch()}>
            {texts.list.retry}
          </button>
        }
      />
    )
  }
  return (
    <div className={styles.page} aria-busy={query.isPending}>
      <h1 className="visually-hidden">{words.title}</h1>
      {query.data ? <Content overview={query.data} /> : <Skeleton />}
    </div>
  )
}

function Content({ overview }: { overview: Overview }) {
  const { deviceCount, onlineCount, activeAlarms, devicesWithAlarm, alarmsByDay, topAlarms } = overview
  const countOf = (level: number) => activeAlarms.find((each) => each.level === level)?.count ?? 0
  const alarmCount = activeAlarms.reduce((sum, each) => sum + each.count, 0)
  const gravest = [1, 2, 3, 4, 0].find((level) => countOf(level) > 0)
  const levels = countOf(0) > 0 ? [1, 2, 3, 4, 0] : [1, 2, 3, 4]
  const monthCount = alarmsByDay.reduce((sum, each) => sum + each.count, 0)

  return (
    <>
      <header className={styles.head} data-level={gravest}>
        {alarmCount > 0 ? (
          <PageLink page={alarmPage} className={styles.headline}>
            <LevelSign level={gravest ?? 0} />
            <span>{words.headline(formatCount(alarmCount), formatCount(devicesWithAlarm))}</span>
            {countOf(1) > 0 && <strong>{words.critical(formatCount(countOf(1)))}</strong>}
          </PageLink>
        ) : (
          <p className={styles.headline}>
            <span className={styles.calm} aria-hidden="true" />
            <span>{words.calm}</span>
          </p>
        )}
        <span className={styles.readAt}>
          <RelativeTime time={overview.readTime} isShort />
        </span>
      </header>

      <dl className={styles.figures}>
        <Figure
          name={words.online}
          value={formatCount(onlineCount)}
          unit={words.unitDevices}
          page={devicePage}
          search={{ isOnline: 1 }}
        >
          {words.ofDevices(formatCount(deviceCount), formatShare(onlineCount, deviceCount))}
        </Figure>
        <Figure
          name={words.offline}
          value={formatCount(deviceCount - onlineCount)}
          unit={words.unitDevices}
          page={devicePage}
          search={{ isOnline: 0 }}
        />
        <Figure
          name={words.withAlarm}
          value={formatCount(devicesWithAlarm)}
          unit={words.unitDevices}
          page={devicePage}
          search={{ hasAlarm: 1 }}
        />
        <Figure
          name={words.activeAlarms}
          value={formatCount(alarmCount)}
          unit={words.unitAlarms}
          page={alarmPage}
        />
      </dl>

      <div className={styles.columns}>
        <section className={styles.part}>
          <h2 className={styles.title}>{words.byLevel}</h2>
          <ul className={styles.levels}>
            {levels.map((level) => (
              <li key={level}>
                <PageLink
                  page={alarmPage}
                  search={level === 0 ? {} : { alarmLevel: level }}
                  className={styles.levelLine}
                >
                  <LevelTag level={level} />
                  <Share part={countOf(level)} whole={Math.max(...levels.map(countOf))} level={level} />
                  <span className={styles.number}>{formatCount(countOf(level))}</span>
                </PageLink>
              </li>
            ))}
          </ul>
        </section>
        <section className={styles.part}>
          <h2 className={styles.title}>
            {words.byDay}
            <span className={styles.aside}>
              {words.byDayTotal(
                formatCount(monthCount),
                formatCount(Math.round(monthCount / Math.max(1, alarmsByDay.length))),
              )}
            </span>
          </h2>
          <DayBars days={alarmsByDay} />
        </section>
      </div>

      <section className={styles.part}>
        <h2 className={styles.title}>{words.top}</h2>
        {topAlarms.length === 0 ? (
          <p className={styles.none}>{words.calm}</p>
        ) : (
          <ol className={styles.top}>
            {topAlarms.map((alarm) => (
              <li key={alarm.semaphoreCode}>
                <PageLink
                  page={alarmPage}
                  search={{ semaphoreCode: alarm.semaphoreCode }}
                  className={styles.topLine}
                >
                  <LevelTag level={alarm.alarmLevel} />
                  <span className={styles.topName}>{alarm.semaphoreName}</span>
                  <span className={`mono ${styles.topCode}`}>{alarm.semaphoreCode}</span>
                  <Share part={alarm.count} whole={topAlarms[0]?.count ?? 0} level={alarm.alarmLevel ?? 0} />
                  <span className={styles.number}>{formatCount(alarm.count)}</span>
                </PageLink>
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
  )
}

interface FigureProps {
  name: string
  value: string
  unit?: string
  page?: string
  search?: object
  children?: React.ReactNode
}

function Figure({ name, value, unit, page, search = {}, children }: FigureProps) {
  const figure = (
    <>
      <span className={styles.value}>{value}</span>
      {unit && <span className={styles.unit}>{unit}</span>}
    </>
  )
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>
        {page ? (
          <PageLink page={page} search={search} className={styles.figureLink}>
            {figure}
          </PageLink>
        ) : (
          figure
        )}
        {children && <span className={styles.beside}>{children}</span>}
      </dd>
    </div>
  )
}

function Share({ part, whole, level }: { part: number; whole: number; level: number }) {
  return (
    <span className={styles.share} data-level={level} aria-hidden="true">
      <span style={{ width: whole > 0 ? `${(part / whole) * 100}%` : 0 }} />
    </span>
  )
}

function Skeleton() {
  return (
    <div className={styles.skeleton} role="status" aria-label={texts.list.loading}>
      <span />
      <span />
      <span />
    </div>
  )
}
