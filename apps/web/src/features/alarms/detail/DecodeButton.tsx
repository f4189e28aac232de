import type { AlarmRow } from '@voltkeep/contract/alarms'
import { useState } from 'react'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'

const DecodeDialog = lazyDialog(() => import('./DecodeDialog.tsx'))

/** 告警内容 for whom it is offered: `open` shows it in `dialog`. */
export function useDecoding(alarm: AlarmRow) {
  const [isOpen, setOpen] = useState(false)
  const isPermitted = usePermission('alarm:detail')
  return {
    isOffered: isPermitted && alarm.value !== 0,
    open: () => setOpen(true),
    dialog: isOpen && <DecodeDialog alarm={alarm} onClose={() => setOpen(false)} />,
  }
}

/** 告警内容 for a nonzero value, 无告警 for zero. */
export function DecodeButton({ alarm }: { alarm: AlarmRow }) {
  const { isOffered, open, dialog } = useDecoding(alarm)
  if (alarm.value === 0) return <span className={styles.nothing}>{alarmTexts.none}</span>
  return (
    <>
      {isOffered && (
        <button type="button" className="link-button tap" onClick={open}>
          {alarmTexts.content}
        </button>
      )}
      {dialog}
    </>
  )
}
