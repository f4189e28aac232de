import type { AlarmRow } from '@voltkeep/contract/alarms'
import { useState } from 'react'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'

const DecodeDialog = lazyDialog(() => import('./DecodeDialog.tsx'))

/** 告警内容 for a nonzero value, 无告警 for zero. */
export function DecodeButton({ alarm }: { alarm: AlarmRow }) {
  const [isOpen, setOpen] = useState(false)
  const isPermitted = usePermission('alarm:detail')
  if (alarm.value === 0) return <span className={styles.nothing}>{alarmTexts.none}</span>
  if (!isPermitted) return null
  return (
    <>
      <button type="button" className="link-button tap" onClick={() => setOpen(true)}>
        {alarmTexts.content}
      </button>
      {isOpen && <DecodeDialog alarm={alarm} onClose={() => setOpen(false)} />}
    </>
  )
}
