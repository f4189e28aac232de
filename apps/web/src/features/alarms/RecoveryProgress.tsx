import { useQuery } from '@tanstack/react-query'
import { readAlarmRecovery } from '@voltkeep/contract/alarmRecovery'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { alarmTexts } from './alarms.texts.ts'
import styles from './RecoveryProgress.module.css'

const askAgainMs = 700
/** Put away by its reader, in this page's life. */
const dismissed = new Set<string>()

/** How far the user's last recovery of many alarms is. The server does the work: leaving the page does not end it. */
export function RecoveryProgress({ onFinished }: { onFinished: () => void }) {
  const isPermitted = usePermission('alarm:recover')
  const [, setDismissed] = useState(0)
  const { data } = useQuery({
    ...reading(readAlarmRecovery, {}),
    enabled: isPermitted,
    refetchInterval: ({ state }) =>
      state.data?.recovery && state.data.recovery.finishedAt === null ? askAgainMs : false,
    retry: false,
    meta: { isQuiet: true },
  })
  const recovery = data?.recovery
  const isOver = recovery?.finishedAt !== null
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
  const { id, total, recovered, passed } = recovery
  const text = isOver
    ? alarmTexts.recovery.done(formatCount(recovered), passed > 0 ? formatCount(passed) : undefined)
    : alarmTexts.recovery.running(formatCount(recovered + passed), formatCount(total))
  return (
    <div className={styles.progress} role="status">
      <span>{text}</span>
      {!isOver && (
        <progress className={styles.bar} value={recovered + passed} max={total} aria-label={text} />
      )}
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
