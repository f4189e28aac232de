import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import {
  exportLeftOutOfRollback,
  previewRollback,
  type RollbackPreview,
  rollBackUpgradeTask,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { Button } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { CallError } from '../../../lib/wire/call.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { askToConfirm } from '../../../ui/buttons/Confirmation.tsx'
import { LeftOutFile } from '../../../ui/work/LeftOutFile.tsx'
import { PreviewBox } from '../../../ui/work/WorkPreview.tsx'
import { useOpenTask } from '../upgrades.page.ts'
import { upgradeTexts } from '../upgrades.texts.ts'
import { goalOf } from '../upgrades.words.ts'
import { staleByControl } from './Failures.tsx'
import styles from './view.module.css'

const { task: words, ask, rollbackSkips, preview: previewed } = upgradeTexts

/** Rolls a task back. The question counts what will really happen, and names what cannot be restored. */
export function RollbackButton({ task }: { task: UpgradeTaskDetail }) {
  const client = useQueryClient()
  const openTask = useOpenTask()
  const rollingBack = useWriting(rollBackUpgradeTask, staleByControl, { said: ask.rollback.done })
  const { id } = task

  const press = async () => {
    try {
      const preview = await client.fetchQuery({ ...reading(previewRollback, { id }), staleTime: 0 })
      const isPossible = preview.devices > 0
      const isConfirmed = await askToConfirm({
        title: ask.rollback.title,
        // The question stands outside of the console.
        body: (
          <QueryClientProvider client={client}>
            <Question preview={preview} goal={goalOf(task)} taskId={id} />
          </QueryClientProvider>
        ),
        confirmLabel: isPossible ? words.rollback : ask.rollback.known,
        isDanger: isPossible,
      })
      if (!isConfirmed || !isPossible) return
      const made = await rollingBack.mutateAsync({ id })
      if (made.approvalId === undefined) openTask(made.id)
    } catch (error) {
      // The one place for refused calls has shown it.
      if (!(error instanceof CallError)) throw error
    }
  }
  return (
    <Button danger loading={rollingBack.isPending} onClick={() => void press()}>
      {words.rollback}
    </Button>
  )
}

function Question({ preview, goal, taskId }: { preview: RollbackPreview; goal: string; taskId: string }) {
  const { devices, offline, parts, skipped } = preview
  const left = skipped.reduce((sum, one) => sum + one.devices, 0)
  const reasons = Map.groupBy(skipped, ({ reason, note }) => note ?? rollbackSkips[reason])
  return (
    <>
      <p>{devices > 0 ? ask.rollback.body(formatCount(devices), goal) : ask.rollback.none(goal)}</p>
      <PreviewBox>
        {parts.length > 0 && <p>{`${ask.rollback.restored} ${joined(parts)}`}</p>}
        {offline > 0 && <p className={styles.quiet}>{previewed.offline(formatCount(offline))}</p>}
        {left > 0 && (
          <p>
            {`${ask.rollback.left(formatCount(left))}：`}
            {[...reasons].map(([reason, all]) => `${reason}（${joined(all)}）`).join('；')}
          </p>
        )}
        {left > 0 && <LeftOutFile endpoint={exportLeftOutOfRollback} asked={{ id: taskId }} />}
        {skipped.some(({ reason }) => reason === 'noPackage') && (
          <p className={styles.quiet}>{ask.rollback.upload}</p>
        )}
      </PreviewBox>
    </>
  )
}

/** `主控 1.3 ×2、主控 1.1 ×1`. */
const joined = (parts: readonly { partTypeName: string; version: string; devices: number }[]) =>
  parts
    .map(({ partTypeName, version, devices }) =>
      ask.rollback.part(partTypeName, version, formatCount(devices)),
    )
    .join('、')
