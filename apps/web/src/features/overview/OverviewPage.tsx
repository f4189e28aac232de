// The home page: what is wrong, where, and what is in progress.
import { useQuery } from '@tanstack/react-query'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { liveOverview, type Overview, readOverview } from '@voltkeep/contract/overview'
import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import type { ReactNode } from 'react'
import { useMedia } from '../../lib/browser/media.ts'
import { useTitle } from '../../lib/browser/title.ts'
import { useShownFirst } from '../../lib/firstShown.ts'
import { useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { DayBars } from './alarms/DayBars.tsx'
import { NewestAlarms } from './alarms/NewestAlarms.tsx'
import { OperatorRanking, RegionRanking } from './alarms/Ranking.tsx'
import { TopAlarms } from './alarms/TopAlarms.tsx'
import { Figures } from './Figures.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { widestQuery } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'
import { PartVersions } from './PartVersions.tsx'
import { Batches } from './running/Batches.tsx'
import { Upgrades } from './running/Upgrades.tsx'
import { type RunningUpgrades, useRunningUpgrades } from './running/useRunningUpgrades.ts'
import { TodoList } from './todo/TodoList.tsx'
import { useCriticalAlarms, useFailedBatches, useWaitingBatches } from './todo/useUrgent.ts'

const words = overviewTexts
/** However often the figures change, they are read at most this often. */
const figuresPauseMs = 3_000
/** Figures younger than this are not read again when the live stream connects. */
const freshMs = 5_000

export function OverviewPage() {
  const query = useQuery({
    ...reading(readOverview, {}),
    refetchInterval: 60_000,
    meta: { isQuiet: 'first' },
  })
  const { refetch, dataUpdatedAt } = query
  useLiveReading(
    refetch,
    (event) =>
      event.type === 'ready'
        ? dataUpdatedAt > 0 && Date.now() - dataUpdatedAt > freshMs
        : event.type === 'missed' && (event.noun === undefined || event.noun === liveOverview.noun),
    figuresPauseMs,
  )
  useTitle(words.title)
  const upgrades = useRunningUpgrades()
  const critical = useCriticalAlarms()
  const failed = useFailedBatches()
  const waiting = useWaitingBatches()
  // Together with the figures: what comes a moment later would push everything below down.
  const isAwaited =
    query.isPending || upgrades.isAwaited || critical.isAwaited || failed.isAwaited || waiting.isAwaited
  useShownFirst(!isAwaited)

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
    <div className={styles.page} aria-busy={isAwaited}>
      <h1 className="visually-hidden">{words.title}</h1>
      {query.data && !isAwaited ? (
        <Content
          overview={query.data}
          upgrades={upgrades}
          critical={critical.rows}
          failed={failed.rows}
          waiting={waiting.rows}
        />
      ) : (
        <Skeleton />
      )}
    </div>
  )
}

function Content({
  overview,
  upgrades,
  critical,
  failed,
  waiting,
}: {
  overview: Overview
  upgrades: RunningUpgrades
  critical: readonly AlarmRow[]
  failed: readonly ParameterBatchRow[]
  waiting: readonly ParameterBatchRow[]
}) {
  if (overview.deviceCount === 0) return <FirstSteps />
  return (
    <>
      <TodoList
        overview={overview}
        upgrades={upgrades.rows}
        critical={critical}
        failed={failed}
        waiting={waiting}
      />
      <Figures overview={overview} />
      <Columns
        sections={{
          newest: <NewestAlarms />,
          byDay: <DayBars days={overview.alarmsByDay} />,
          upgrades: upgrades.isSeen && <Upgrades list={upgrades} />,
          batches: <Batches />,
          operators: <OperatorRanking rows={overview.operators} total={overview.troubledOperators} />,
          regions: <RegionRanking rows={overview.regions} />,
          parts: <PartVersions parts={overview.parts} />,
          top: <TopAlarms alarms={overview.topAlarms} />,
        }}
      />
    </>
  )
}

const layouts = {
  one: [['newest', 'upgrades', 'batches', 'operators', 'regions', 'byDay', 'top', 'parts']],
  two: [
    ['newest', 'upgrades', 'batches', 'parts'],
    ['byDay', 'operators', 'regions', 'top'],
  ],
  three: [
    ['newest', 'top'],
    ['byDay', 'upgrades', 'batches', 'parts'],
    ['operators', 'regions'],
  ],
  four: [['newest', 'batches'], ['byDay', 'top', 'upgrades'], ['operators', 'regions'], ['parts']],
} as const
type SectionKey = (typeof layouts.one)[number][number]

/** Columns that fill the width. Each has its own height, so that sections do not align with a longer neighbour. */
function Columns({ sections }: { sections: Record<SectionKey, ReactNode> }) {
  const isWidest = useMedia(widestQuery)
  const isWide = useMedia('(width >= 1800px)')
  const isNarrow = useMedia('(width < 1180px)')
  const layout = layouts[isWidest ? 'four' : isWide ? 'three' : isNarrow ? 'one' : 'two']
  return (
    <div className={styles.columns}>
      {layout.map((keys) => (
        <div key={keys[0]} className={styles.column}>
          {keys.map((key) => (
            <div key={key} className={styles.slot}>
              {sections[key]}
            </div>
          ))}
        </div>
      ))}
    </div>
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
