// The panel 我的任务 in the top bar: all long work of the user, with progress and result.
import type { Task } from '@voltkeep/contract/tasks'
import { useEffect } from 'react'
import { formatBytes, formatCount } from '../../lib/format.ts'
import type { Download } from '../../lib/wire/download.ts'
import type { Upload } from '../../lib/wire/uploads.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { TaskLine } from './TaskLine.tsx'
import styles from './tasks.module.css'
import { pageOf } from './tasks.pages.ts'
import { taskTexts } from './tasks.texts.ts'
import { UploadTask } from './UploadTask.tsx'
import { keyOfTask } from './useTasks.ts'

interface PanelProps {
  tasks: readonly Task[] | undefined
  hasFailed: boolean
  /** Reads the tasks again: they may have been begun in another browser. */
  onRead: () => unknown
  downloading: readonly Download[]
  uploading: readonly Upload[]
  onRenewSecrets: (task: Task) => void
}

export default function TaskPanel({
  tasks,
  hasFailed,
  onRead,
  downloading,
  uploading,
  onRenewSecrets,
}: PanelProps) {
  useEffect(() => void onRead(), [onRead])
  const isEmpty = tasks?.length === 0 && downloading.length === 0 && uploading.length === 0
  return (
    <section className={styles.panel} aria-label={taskTexts.title}>
      <h2 className={styles.title}>{taskTexts.title}</h2>
      {isEmpty && (
        <div className={styles.none}>
          <p>{taskTexts.none}</p>
          <p className={styles.quiet}>{taskTexts.noneHint}</p>
        </div>
      )}
      {!tasks && hasFailed && <p className={styles.none}>{taskTexts.failed}</p>}
      <ul className={styles.tasks}>
        {uploading.map((one) => (
          <li key={one.key} className={styles.task}>
            <UploadTask upload={one} />
          </li>
        ))}
        {downloading.map((one) => (
          <li key={one.path} className={styles.task}>
            <TaskLine name={one.title} state="running">
              {one.bytes > 0 && taskTexts.received(formatBytes(one.bytes))}
            </TaskLine>
            <progress className={styles.bar} aria-label={one.title} />
            <p className={styles.foot}>
              <span>{taskTexts.downloading}</span>
              <button type="button" className="link-button" onClick={one.cancel}>
                {taskTexts.cancel}
              </button>
            </p>
          </li>
        ))}
        {tasks?.map((task) => (
          <li key={keyOfTask(task)} className={styles.task}>
            <OneTask task={task} onRenewSecrets={onRenewSecrets} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function OneTask({ task, onRenewSecrets }: { task: Task; onRenewSecrets: (task: Task) => void }) {
  const { kind, subject, state, done, total, failed, skipped, reason, createTime, finishTime } = task
  const name = taskTexts.kinds[kind]
  const isOpen = state === 'running' || (state === 'paused' && kind !== 'approval')
  return (
    <>
      <TaskLine
        name={
          <span
            onClickCapture={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
          >
            <PageLink {...pageOf(task)}>{name}</PageLink>
          </span>
        }
        state={state}
        isPartly={failed > 0 && failed < (total ?? 0)}
        waits={taskTexts.waits[kind]}
      >
        {subject}
      </TaskLine>
      {isOpen && (
        <progress
          className={styles.bar}
          aria-label={name}
          {...(total !== null && (done > 0 || kind !== 'deviceImport') && { value: done, max: total })}
        />
      )}
      {reason && <p className={styles.reason}>{reason}</p>}
      <p className={styles.foot}>
        <span>{amountOf(task)}</span>
        {failed > 0 && <span className={styles.wrong}>{taskTexts.failedCount(formatCount(failed))}</span>}
        {kind === 'alarmHandling' && skipped > 0 && (
          <span>{taskTexts.skippedHandling(formatCount(skipped))}</span>
        )}
        {kind === 'alarmRecovery' && skipped > 0 && (
          <span>{taskTexts.skippedAlarms(formatCount(skipped))}</span>
        )}
        {kind === 'deviceImport' && state === 'done' && (
          <button type="button" className="link-button" onClick={() => onRenewSecrets(task)}>
            {taskTexts.secrets.action}
          </button>
        )}
        <RelativeTime time={finishTime ?? createTime} isShort />
      </p>
    </>
  )
}

function amountOf({ kind, done, total }: Task): string {
  if (kind === 'logExtraction') return done > 0 ? taskTexts.received(formatBytes(done)) : ''
  if (total === null) return ''
  return taskTexts.count(formatCount(done), formatCount(total), taskTexts.units[kind])
}
