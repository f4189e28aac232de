// The key figures of the home page, each linked to its list.
import type { Overview } from '@voltkeep/contract/overview'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { alarmPage, devicePage, offlineSearch, onlineSearch, shelvedSearch } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'
import { onlineRate } from './overview.words.ts'

const words = overviewTexts

export function Figures({ overview }: { overview: Overview }) {
  const { change, activeAlarms } = overview
  const alarmCount = activeAlarms.reduce((sum, each) => sum + each.count, 0)
  return (
    <section aria-label={words.figures}>
      <dl className={styles.figures}>
        <Figure
          name={words.online}
          kind="online"
          value={overview.onlineCount}
          change={change?.onlineCount}
          page={devicePage}
          search={onlineSearch}
        >
          <span title={words.rateTitle}>{words.rate(onlineRate(overview))}</span>
        </Figure>
        <Figure
          name={words.offline}
          kind="offline"
          value={overview.offlineCount}
          change={change?.offlineCount}
          page={devicePage}
          search={offlineSearch}
        />
        <Figure
          name={words.withAlarm}
          value={overview.devicesWithAlarm}
          change={change?.devicesWithAlarm}
          page={devicePage}
          search={{ hasAlarm: 1 }}
        />
        <Figure
          name={words.activeAlarms}
          unit={words.unitAlarms}
          value={alarmCount}
          change={change?.alarmCount}
          page={alarmPage}
        >
          {overview.shelvedCount > 0 && (
            <PageLink page={alarmPage} search={shelvedSearch} className={styles.beside}>
              {words.shelved(formatCount(overview.shelvedCount))}
            </PageLink>
          )}
        </Figure>
        <div className={styles.figure} data-wide>
          <dt>{words.byLevel}</dt>
          <dd className={styles.levels}>
            {activeAlarms.map(({ level, count }) => (
              <PageLink
                key={level}
                page={alarmPage}
                search={
                  level === 0 ? { semaphoreCode: overview.unknownCodes.join(',') } : { alarmLevel: level }
                }
                className={styles.level}
              >
                <LevelTag level={level} />
                <strong>{formatCount(count)}</strong>
              </PageLink>
            ))}
          </dd>
        </div>
        <div className={styles.figure} data-wide>
          <dt title={words.rateTitle}>{words.notCounted}</dt>
          <dd className={styles.levels}>
            {[
              [words.never, overview.neverCount, { statuses: 1, isOnline: 2 }] as const,
              [words.undelivered, overview.undeliveredCount, { statuses: 2 }] as const,
              [words.commissioning, overview.commissioningCount, { statuses: 3 }] as const,
            ].map(([name, count, search]) => (
              <PageLink key={name} page={devicePage} search={search} className={styles.level}>
                <span className={styles.quiet}>{name}</span>
                <strong>{formatCount(count)}</strong>
              </PageLink>
            ))}
          </dd>
        </div>
      </dl>
    </section>
  )
}

interface FigureProps {
  name: string
  /** Its sign and colour are those of the state. */
  kind?: 'online' | 'offline'
  value: number
  unit?: string
  change?: number | undefined
  page: string
  search?: object
  children?: ReactNode
}

function Figure({
  name,
  kind,
  value,
  unit = words.unitDevices,
  change,
  page,
  search = {},
  children,
}: FigureProps) {
  return (
    <div className={styles.figure} data-kind={kind} data-none={value === 0 || undefined}>
      <dt>{name}</dt>
      <dd>
        <PageLink page={page} search={search} className={styles.value}>
          <strong>{formatCount(value)}</strong>
          <span className={styles.quiet}>{unit}</span>
        </PageLink>
        <Change by={change} />
        {children && <span className={styles.quiet}>{children}</span>}
      </dd>
    </div>
  )
}

/** `+12` or `−7`; nothing where the change is zero or unknown. */
function Change({ by }: { by: number | undefined }) {
  if (by === undefined || by === 0) return null
  const count = formatCount(Math.abs(by))
  return (
    <span className={styles.change}>
      <span aria-hidden="true">{by > 0 ? `+${count}` : `−${count}`}</span>
      <span className="visually-hidden">{by > 0 ? words.more(count) : words.fewer(count)}</span>
    </span>
  )
}
