import { UnorderedListOutlined } from '@ant-design/icons'
import { renewImportSecrets } from '@voltkeep/contract/deviceImport'
import type { Task } from '@voltkeep/contract/tasks'
import { lazy, Suspense } from 'react'
import { useStore } from '../../lib/store.ts'
import { downloads, useDownload } from '../../lib/wire/download.ts'
import { uploads } from '../../lib/wire/uploads.ts'
import { askToConfirm } from '../../ui/buttons/Confirmation.tsx'
import { Popover } from '../../ui/buttons/Popover.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import styles from './tasks.module.css'
import { taskTexts } from './tasks.texts.ts'
import { useTasks } from './useTasks.ts'

const TaskPanel = lazy(() => import('./TaskPanel.tsx'))

/** As in the styles. */
const panelPx = 400

const words = taskTexts.secrets

/** A phone's top bar has no room for more; the button's name has the number. */
const mostShown = 99

/** The user's long work, from every page; the button shows how many tasks are under way. */
export default function TaskButton({ className }: { className: string | undefined }) {
  const { data, error, refetch } = useTasks()
  const downloading = useStore(downloads)
  const uploading = useStore(uploads)
  const renewing = useDownload(renewImportSecrets)
  const count =
    (data?.tasks.filter(({ state }) => state === 'running').length ?? 0) +
    downloading.length +
    uploading.filter(({ step }) => step.name === 'sending').length

  // The confirmation is asked from here: the panel closes when the dialog opens over it.
  const renewSecrets = async ({ id, subject }: Task) => {
    const isConfirmed = await askToConfirm({
      title: words.title,
      body: words.body(subject ?? ''),
      confirmLabel: words.action,
    })
    if (isConfirmed) renewing.mutate({ id })
  }
  return (
    <Popover
      isLazy
      widthPx={panelPx}
      label={count > 0 ? taskTexts.running(count) : taskTexts.title}
      className={className}
      sign={
        <span className={styles.sign}>
          <UnorderedListOutlined />
          {count > 0 && <span className={styles.count}>{count > mostShown ? `${mostShown}+` : count}</span>}
        </span>
      }
    >
      <Suspense fallback={<Waiting lines={3} isPanel />}>
        <TaskPanel
          tasks={data?.tasks}
          hasFailed={error !== null}
          onRead={refetch}
          downloading={downloading}
          uploading={uploading}
          onRenewSecrets={(task) => void renewSecrets(task)}
        />
      </Suspense>
    </Popover>
  )
}
