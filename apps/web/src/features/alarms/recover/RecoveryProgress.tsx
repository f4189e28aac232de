import { useQuery } from '@tanstack/react-query'
import { recoverAlarms } from '@voltkeep/contract/alarmRecovery'
import { listTasks, type Task } from '@voltkeep/contract/tasks'
import { useEffect, useRef, useState } from 'react'
import { formatCount, readWireTime } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { useNow } from '../../../ui/time/RelativeTime.tsx'
import styles from './RecoveryProgress.module.css'
import { recoverTexts } from './recover.texts.ts'
import { searchOfRecovery } from './recoveries.ts'

const askAgainMs = 700
/** Long enough to be read and followed; the list of tasks keeps the report. */
const newsMs = 60_000
/** Ids of recoveries that the user has dismissed, until the page is reloaded. */
const dismissed = new Set<string>()

/**
 * Progress of the user's last recovery of many alarms. The server does the work, so it continues after the page is
 * left.
 */
export function RecoveryProgress({ onFinished }: { onFinished: () => void }) {
  const isPermitted = usePermission(recoverAlarms.access)
  const [, setDismissed] = useState(0)
  const { data } = useQuery({
    ...reading(listTasks, {}),
    enabled: isPermitted,
    select: ({ tasks }) => tasks.find(({ kind }) => kind === 'alarmRecovery') ?? null,
    refetchInterval: ({ state }) =>
      state.data?.tasks.some(({ kind, state: how }) => kind === 'alarmRecovery' && how === 'running')
        ? askAgainMs
        : false,
    retry: false,
    meta: { isQuiet: true },
  })
  // A recovery that ended long ago is not shown here; the list of tasks contains it.
  const now = useNow()
  const recovery = data && isRecent(data, now) ? data : undefined
  const isOver = recovery?.state !== 'running'
  const seen = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (!recovery) return
    if (!isOver) seen.current = recovery.id
    else if (seen.current === recovery.id) {
      seen.current = undefined
      onFinished()
    }
  }, [recovery, isOver, onFinished])
  if (!recovery || dismissed.has(recovery.id)) return null
  const { id, done, skipped: passed } = recovery
  const total = recovery.total ?? done
  const recovered = done - passed
  const search = searchOfRecovery(id)
  const text = isOver
    ? recoverTexts.finished(formatCount(recovered), passed > 0 ? formatCount(passed) : undefined)
    : recoverTexts.progress(formatCount(done), formatCount(total))
  return (
    <div className={styles.progress} role="status">
      {isOver && search ? (
        <PageLink page="maintenance/exitWarning" search={search}>
          {text}
        </PageLink>
      ) : (
        <span>{text}</span>
      )}
      {!isOver && <progress className={styles.bar} value={done} max={total} aria-label={text} />}
      {isOver && (
        <button
          type="button"
          className="link-button"
          onClick={() => {
            dismissed.add(id)
            setDismissed((count) => count + 1)
          }}
        >
          {texts.close}
        </button>
      )}
    </div>
  )
}

const isRecent = ({ finishTime }: Task, now: Date) =>
  finishTime === null || now.getTime() - (readWireTime(finishTime)?.getTime() ?? 0) < newsMs
