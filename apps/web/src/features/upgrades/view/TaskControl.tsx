// What a user may do with a task now, each deed with what it says before it is done.
import {
  cancelUpgradeTask,
  endUpgradeSoak,
  pauseUpgradeTask,
  resumeUpgradeTask,
  type UpgradePauseReason,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { formatCount } from '../../../lib/format.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { ConfirmButton } from '../../../ui/buttons/ConfirmButton.tsx'
import { Permitted } from '../../../ui/Permitted.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { openCount } from '../upgrades.words.ts'
import { staleByControl } from './Failures.tsx'
import { RollbackButton } from './RollbackButton.tsx'

const { task: words, ask } = upgradeTexts

/** By the task itself, which judges no more once it goes on. */
const isJudged = (reason: UpgradePauseReason) =>
  reason === 'failures' || reason === 'alarms' || reason === 'unverified'

/**
 * Pause, resume, cancel and roll back: those possible now, each with a confirmation that names the number of devices.
 */
export function TaskControl({ task }: { task: UpgradeTaskDetail }) {
  const pausing = useWriting(pauseUpgradeTask, staleByControl)
  const resuming = useWriting(resumeUpgradeTask, staleByControl)
  const endingSoak = useWriting(endUpgradeSoak, staleByControl)
  const cancelling = useWriting(cancelUpgradeTask, staleByControl)
  if (!task.isControllable && !task.isWhole) return null
  const { id, state, counts, pause } = task
  const waiting = formatCount(counts.waiting + counts.sent)
  const soaking = task.stages.find((stage) => stage.state === 'soaking')
  const next = task.stages.find(({ stage }) => stage === (soaking?.stage ?? 0) + 1)
  const isOpen = state === 'running' || state === 'paused'
  return (
    <Permitted code={pauseUpgradeTask.access}>
      {task.isControllable && state === 'running' && soaking && next && (
        <ConfirmButton
          title={ask.endSoak.title}
          body={
            <>
              <p>{ask.endSoak.body(soaking.stage, soaking.soakEndTime ?? '')}</p>
              <p>{ask.endSoak.next(next.stage, formatCount(next.devices))}</p>
            </>
          }
          confirmLabel={ask.endSoak.action}
          onConfirm={() => endingSoak.mutateAsync({ id })}
        >
          {words.endSoak}
        </ConfirmButton>
      )}
      {task.isControllable && state === 'running' && (
        <ConfirmButton
          title={ask.pause.title}
          body={ask.pause.body(waiting)}
          confirmLabel={words.pause}
          onConfirm={() => pausing.mutateAsync({ id })}
        >
          {words.pause}
        </ConfirmButton>
      )}
      {task.isControllable && state === 'paused' && (
        <ConfirmButton
          type="primary"
          title={ask.resume.title}
          body={
            <>
              <p>{ask.resume.body(formatCount(openCount(counts)))}</p>
              {pause && isJudged(pause.reason) && <p>{ask.resume.waived}</p>}
            </>
          }
          confirmLabel={words.resume}
          onConfirm={() => resuming.mutateAsync({ id })}
        >
          {words.resume}
        </ConfirmButton>
      )}
      {task.isWhole && counts.succeeded > 0 && task.type !== 'ROLLBACK' && <RollbackButton task={task} />}
      {task.isControllable && (isOpen || state === 'planned') && (
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
