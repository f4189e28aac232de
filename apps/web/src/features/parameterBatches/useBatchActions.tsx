// The actions on a batch that are possible now for this user, in the list and on the batch's own page: export, retry,
// continue, stop, restore, with their confirmations.
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import {
  continueParameterBatch,
  exportFailedBatchDevices,
  exportLeftOutOfRestoration,
  listBatchDevices,
  listBatchLog,
  listParameterBatches,
  type ParameterBatchRow,
  previewRestoration,
  readParameterBatch,
  restoreParameterBatch,
  retryParameterBatch,
  stopParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { texts } from '../../lib/texts/index.ts'
import { CallError } from '../../lib/wire/call.ts'
import { useDownload } from '../../lib/wire/download.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { askToConfirm } from '../../ui/buttons/Confirmation.tsx'
import { codeOf, usePermission } from '../../ui/Permitted.tsx'
import { LeftOutFile } from '../../ui/work/LeftOutFile.tsx'
import { PreviewBox } from '../../ui/work/WorkPreview.tsx'
import { PreviewFigures } from './PreviewFigures.tsx'
import styles from './parameterBatches.module.css'
import { useOpenBatch } from './parameterBatches.page.ts'
import { batchTexts } from './parameterBatches.texts.ts'
import { failedCount } from './parameterBatches.words.ts'

const { ask, control: words } = batchTexts

/** The reads that an action on a batch makes stale. */
const stale = [listParameterBatches, readParameterBatch, listBatchDevices, listBatchLog] as const

export interface BatchAction {
  key: 'export' | 'retry' | 'continue' | 'stop' | 'restore'
  label: string
  isDanger?: boolean
  /** Asks for confirmation where devices are affected, then acts. Errors are shown centrally. */
  act: () => Promise<void>
}

export function useBatchActions(): (batch: ParameterBatchRow & { isStoppable?: boolean }) => BatchAction[] {
  const client = useQueryClient()
  const openBatch = useOpenBatch()
  const exporting = useDownload(exportFailedBatchDevices)
  const retrying = useRetry()
  const continuing = useWriting(continueParameterBatch, stale, {
    said: ({ count }) => words.continued(formatCount(count)),
  })
  const stopping = useWriting(stopParameterBatch, stale)
  const restoring = useWriting(restoreParameterBatch, stale, { said: words.restored })
  const may = {
    export: usePermission(exportFailedBatchDevices.access),
    retry: usePermission(retryParameterBatch.access),
    continue: usePermission(codeOf(continueParameterBatch.access)),
    stop: usePermission(stopParameterBatch.access),
    restore: usePermission(restoreParameterBatch.access),
  }

  // The confirmation names the number of devices concerned, so the counts are read first.
  const countsNow = async (id: string) =>
    (await client.fetchQuery({ ...reading(readParameterBatch, { id }), staleTime: 0 })).counts

  return (batch) => {
    const { id, code, counts, state } = batch
    const failed = failedCount(counts)
    const actions: BatchAction[] = []
    if (may.export && failed > 0) {
      actions.push({
        key: 'export',
        label: words.exportFailed,
        act: () =>
          withoutCallError(async () => {
            await exporting.mutateAsync({ id })
            notify.success(texts.list.exported)
          }),
      })
    }
    if (may.retry && failed > 0) {
      actions.push({
        key: 'retry',
        label: words.retry,
        act: () =>
          withoutCallError(async () => {
            const { title, body } = ask.retry
            const confirmLabel = texts.list.retry
            const count = formatCount(failedCount(await countsNow(id)))
            if (await askToConfirm({ title, body: body(count), confirmLabel }))
              await retrying.mutateAsync({ id })
          }),
      })
    }
    if (may.continue && state === 'paused' && batch.isStoppable !== false) {
      actions.push({
        key: 'continue',
        label: words.continue,
        act: () =>
          withoutCallError(async () => {
            const { title, body } = ask.continue
            const count = formatCount((await countsNow(id)).held)
            if (await askToConfirm({ title, body: body(count), confirmLabel: words.continue }))
              await continuing.mutateAsync({ id })
          }),
      })
    }
    if (may.stop && (state === 'running' || state === 'paused') && batch.isStoppable !== false) {
      actions.push({
        key: 'stop',
        label: words.stop,
        isDanger: true,
        act: () =>
          withoutCallError(async () => {
            const { title, body, none } = ask.stop
            const { held, waiting: due } = await countsNow(id)
            const waiting = held + due
            const isConfirmed = await askToConfirm({
              title,
              body: waiting > 0 ? body(formatCount(waiting)) : none,
              confirmLabel: words.stop,
              isDanger: true,
            })
            if (isConfirmed) await stopping.mutateAsync({ id })
          }),
      })
    }
    if (may.restore && counts.succeeded > 0) {
      actions.push({
        key: 'restore',
        label: words.restore,
        act: () =>
          withoutCallError(async () => {
            const preview = await client.fetchQuery({ ...reading(previewRestoration, { id }), staleTime: 0 })
            const { title, body, none, action } = ask.restore
            if (preview.devices === 0) {
              notify.info(none)
              return
            }
            const isConfirmed = await askToConfirm({
              title,
              body: (
                // The question stands outside of the console.
                <QueryClientProvider client={client}>
                  <p>{body(formatCount(preview.devices), code)}</p>
                  <div className={styles.restored}>
                    <PreviewBox>
                      <PreviewFigures
                        preview={preview}
                        isCounted
                        leftOutFile={<LeftOutFile endpoint={exportLeftOutOfRestoration} asked={{ id }} />}
                      />
                    </PreviewBox>
                  </div>
                </QueryClientProvider>
              ),
              confirmLabel: action,
            })
            if (!isConfirmed) return
            const made = await restoring.mutateAsync({ id })
            if (made.approvalId === undefined) openBatch(made.id)
          }),
      })
    }
    return actions
  }
}

/** Retries failed devices, all or the given rows, and says how many. */
export function useRetry() {
  return useWriting(retryParameterBatch, stale, { said: ({ count }) => words.retried(formatCount(count)) })
}

/** Swallows the error of a refused call, which is already shown centrally. */
async function withoutCallError(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof CallError)) throw error
  }
}
