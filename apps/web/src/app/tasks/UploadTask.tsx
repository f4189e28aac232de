import { formatBytes } from '../../lib/format.ts'
import { pagePaths } from '../../lib/pages.ts'
import { useStore } from '../../lib/store.ts'
import type { Upload } from '../../lib/wire/uploads.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { TaskLine } from './TaskLine.tsx'
import styles from './tasks.module.css'
import { taskTexts } from './tasks.texts.ts'

const stateOf = { sending: 'running', failed: 'failed', kept: 'done' } as const

/** A file that is being uploaded, or that waits for its form; its title leads to the page with that form. */
export function UploadTask({ upload: { file, title, pathname, step, retry, cancel } }: { upload: Upload }) {
  const [page = ''] = [...useStore(pagePaths)].find(([, path]) => path === pathname) ?? []
  const isSent = step.name === 'sending' && step.bytes >= file.size
  return (
    <>
      <TaskLine
        name={
          <span
            onClickCapture={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
          >
            <PageLink page={page}>{title}</PageLink>
          </span>
        }
        state={stateOf[step.name]}
      >
        {file.name}
      </TaskLine>
      {step.name === 'sending' && (
        <progress
          className={styles.bar}
          aria-label={`${title} ${file.name}`}
          {...(!isSent && { value: step.bytes, max: file.size })}
        />
      )}
      {step.name === 'failed' && <p className={styles.reason}>{step.message}</p>}
      <p className={styles.foot}>
        <span>
          {step.name === 'kept' ? taskTexts.uploaded : step.name === 'sending' && taskTexts.uploading}
        </span>
        {step.name === 'sending' && (
          <span>
            {isSent ? taskTexts.processing : taskTexts.sent(formatBytes(step.bytes), formatBytes(file.size))}
          </span>
        )}
        {step.name === 'failed' && (
          <button type="button" className="link-button" onClick={retry}>
            {taskTexts.retry}
          </button>
        )}
        <button type="button" className="link-button" onClick={cancel}>
          {step.name === 'sending' ? taskTexts.cancel : taskTexts.remove}
        </button>
      </p>
    </>
  )
}
