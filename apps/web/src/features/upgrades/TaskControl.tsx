import {
  cancelUpgradeTask,
  pauseUpgradeTask,
  resumeUpgradeTask,
  rollBackUpgradeTask,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { formatCount } from '../../lib/format.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/ConfirmButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { staleByControl } from './Failures.tsx'
import { useOpenTask } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { openCount } from './upgrades.words.ts'

const { task: words, ask } = upgradeTexts

/**
 * Pause, resume, cancel and roll back: those possible now, each with a confirmation that names the number of devices.
 */
export function TaskControl({ task }: { task: UpgradeTaskDetail }) {
  const openTask = useOpenTask()
  const pausing = useWriting(pauseUpgradeTask, staleByControl)
  const resuming = useWriting(resumeUpgradeTask, staleByControl)
  const cancelling = useWriting(cancelUpgradeTask, staleByControl)
  const rollingBack = useWriting(rollBackUpgradeTask, staleByControl, { said: ask.rollback.done })
  if (!task.isWhole) return null
  const { id, state, counts, pause } = task
  const waiting = formatCount(counts.waiting + counts.sent)
  const isOpen = state === 'running' || state === 'paused'
  return (
    <Permitted code={pauseUpgradeTask.access}>
      {state === 'running' && (
        <ConfirmButton
          title={ask.pause.title}
          body={ask.pause.body(waiting)}
          confirmLabel={words.pause}
          onConfirm={() => pausing.mutateAsync({ id })}
        >
          {words.pause}
        </ConfirmButton>
      )}
      {state === 'paused' && (
        <ConfirmButton
          type="primary"
          title={ask.resume.title}
          body={
            <>
              <p>{ask.resume.body(formatCount(openCount(counts)))}</p>
              {pause && pause.reason !== 'user' && <p>{ask.resume.waived}</p>}
            </>
          }
          confirmLabel={words.resume}
          onConfirm={() => resuming.mutateAsync({ id })}
        >
          {words.resume}
        </ConfirmButton>
      )}
      {counts.succeeded > 0 && task.type !== 'ROLLBACK' && (
        <ConfirmButton
          title={ask.rollback.title}
          body={ask.rollback.body(formatCount(counts.succeeded))}
          confirmLabel={words.rollback}
          isDanger
          onConfirm={async () => openTask((await rollingBack.mutateAsync({ id })).id)}
        >
          {words.rollback}
        </ConfirmButton>
      )}
      {(isOpen || state === 'planned') && (
        <ConfirmButton
          title={ask.cancel.title}
          body={
            <>
              {isOpen && <p>{ask.cancel.body(waiting)}</p>}
              <p>{ask.cancel.warn}</p>
            </>
          }
          confirmLabel={ask.cancel.action}
          cancelLabel={ask.cancel.keep}
          isDanger
          onConfirm={() => cancelling.mutateAsync({ id })}
        >
          {words.cancel}
        </ConfirmButton>
      )}
    </Permitted>
  )
}
