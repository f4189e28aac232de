import { type AlarmRow, readAlarm } from '@voltkeep/contract/alarms'
import { Button } from 'antd'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../../lib/wire/call.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { Permitted } from '../../../ui/Permitted.tsx'
import { recoverTexts } from './recover.texts.ts'

const RecoverDialog = lazyDialog(() => import('./RecoverDialog.tsx'))

/** Marks an active alarm as recovered, with a note. */
export function RecoverButton({
  alarm,
  onRecovered,
  isButton = false,
}: {
  /** Its present state. */
  alarm: AlarmRow
  /** Called with the alarm as it is after the recovery. */
  onRecovered: (alarm: AlarmRow) => void
  /** Renders a button; otherwise a link in a row. */
  isButton?: boolean
}) {
  const [isOpen, setOpen] = useState(false)
  const from = useRef<HTMLElement | null>(null)
  const showRecovered = async () => {
    try {
      onRecovered(await call(readAlarm, { id: alarm.id, occurrenceTime: alarm.occurrenceTime }))
    } catch {
      // The recovery itself has been confirmed to the user; the live stream or the next read shows the new state.
    }
  }
  const open = (event: MouseEvent<HTMLElement>) => {
    // The button disappears with the recovery. Its row or panel stays and receives the focus.
    from.current = event.currentTarget.closest<HTMLElement>('[data-key], aside')
    setOpen(true)
  }
  const isOver = alarm.status === 0
  useEffect(() => {
    if (isOpen || !isOver) return
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (isLost) from.current?.focus({ preventScroll: true })
    from.current = null
  }, [isOpen, isOver])
  return (
    <Permitted code="alarm:recover">
      {alarm.status === 1 &&
        (isButton ? (
          <Button onClick={open}>{recoverTexts.action}</Button>
        ) : (
          <button type="button" className="link-button" onClick={open}>
            {recoverTexts.action}
          </button>
        ))}
      {isOpen && (
        <RecoverDialog alarm={alarm} onDone={() => void showRecovered()} onClose={() => setOpen(false)} />
      )}
    </Permitted>
  )
}
