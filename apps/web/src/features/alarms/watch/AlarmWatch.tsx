import { CloseOutlined } from '@ant-design/icons'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { useEffect, useState } from 'react'
import { badges } from '../../../lib/badges.ts'
import { titleCount } from '../../../lib/browser/title.ts'
import { formatCount } from '../../../lib/format.ts'
import { usePreference } from '../../../lib/preferences.ts'
import { texts } from '../../../lib/texts/index.ts'
import { LevelSign } from '../../../ui/marks/LevelTag.tsx'
import { placeOf } from '../alarms.columns.tsx'
import styles from './AlarmWatch.module.css'
import { nameOf, playTones, showOnDesktop, useSpeaker } from './attention.ts'
import { useActiveLevels } from './useActiveLevels.ts'
import { useNewCritical } from './useNewCritical.ts'
import { watchTexts } from './watch.texts.ts'

const pageKey = 'maintenance/exitWarning'
/** Larger numbers are shown as `99+`. */
const mostWaiting = 99

/**
 * Alarms for a user on another page: counts in the sidebar and the title, and a notification of new critical alarms.
 * `path` is the alarm page's path.
 */
export default function AlarmWatch({ path }: { path: string }) {
  const navigate = useNavigate()
  const isThere = useRouterState({ select: ({ location }) => location.pathname === path })
  const [waiting, setWaiting] = useState<readonly AlarmRow[]>([])
  const [notice] = usePreference('alarmNotice')
  const speaks = useSpeaker(notice?.sound === true || notice?.desktop === true)
  const count = useActiveLevels()
  const critical = count(1)
  const major = count(2)

  useEffect(() => {
    badges.set(new Map([[pageKey, { critical, major }]]))
    titleCount.set(critical)
  }, [critical, major])
  useEffect(
    () => () => {
      badges.set(new Map())
      titleCount.set(0)
    },
    [],
  )
  // The alarm page itself shows new alarms.
  useEffect(() => {
    if (isThere) setWaiting([])
  }, [isThere])

  const show = (alarms: readonly AlarmRow[]) => {
    const [first] = alarms
    setWaiting([])
    if (!first) return
    const search = alarms.length === 1 ? { open: first.id, at: first.occurrenceTime } : { alarmLevel: '1' }
    void navigate({ to: path, search: search as never })
  }
  useNewCritical((alarms) => {
    const isSeen = isThere && !document.hidden
    if (!isSeen && speaks()) {
      if (notice?.sound) playTones()
      if (notice?.desktop) showOnDesktop(alarms, () => show(alarms))
    }
    if (!isThere) setWaiting((before) => [...alarms, ...before].slice(0, mostWaiting + 1))
  })

  const [first] = waiting
  const isMany = waiting.length > 1
  return (
    <div className={styles.place} role="status">
      {first && (
        <div className={styles.notice}>
          <button type="button" className={styles.open} onClick={() => show(waiting)}>
            <LevelSign level={1} />
            <span className={styles.text}>
              <strong>{isMany ? watchTexts.many(countOf(waiting)) : watchTexts.one}</strong>
              <span className={styles.name}>{nameOf(first)}</span>
              <span className={styles.where}>{placeOf(first)}</span>
            </span>
            <span className={styles.go}>{watchTexts.open}</span>
          </button>
          <button
            type="button"
            className={styles.close}
            aria-label={texts.close}
            onClick={() => setWaiting([])}
          >
            <CloseOutlined />
          </button>
        </div>
      )}
    </div>
  )
}

const countOf = (waiting: readonly AlarmRow[]) =>
  waiting.length > mostWaiting ? `${formatCount(mostWaiting)}+` : formatCount(waiting.length)
