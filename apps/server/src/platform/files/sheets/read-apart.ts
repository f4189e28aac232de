import { Worker } from 'node:worker_threads'
import { Counter, type Registry } from 'prom-client'
import { Refusal } from '../../calls/refusal.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import type { SheetMessage, SheetTask } from './sheet-process.ts'
import type { ReadRow } from './spreadsheet.ts'

/** Two of them at their worst fit beside the server where memory is short. */
const usualLimits = { memoryMb: 160, timeMs: 30_000 }
const youngGenerationMb = 16

export type ReadSheetApart = ReturnType<typeof createSheetReader>

/**
 * Reads sheets that somebody sent, each in a thread of its own with a heap and a time of its own: the worst file costs
 * its own import, and nobody waits for its parser. Rows come from the top, at most `rowLimit`. Refuses `badInput` and
 * `wrongMediaType` in words for who sent it.
 */
export function createSheetReader({
  log,
  metrics,
  limits = usualLimits,
}: {
  log: Log
  metrics: Registry
  limits?: typeof usualLimits
}) {
  const refused = new Counter({
    name: 'voltkeep_sheets_refused_total',
    help: 'Uploaded sheets that were not read: content (what it contains), memory and time (what reading it took)',
    labelNames: ['reason'],
    registers: [metrics],
  })
  for (const reason of ['content', 'memory', 'time']) refused.inc({ reason }, 0)

  const refusalOf = (reason: 'memory' | 'time'): Refusal => {
    refused.inc({ reason })
    const [means, unit, message] =
      reason === 'memory'
        ? [limits.memoryMb, { zh: 'MB 内存', en: 'MB of memory' }, '读取文件所需内存过多，请拆分后再上传']
        : [limits.timeMs / 1000, { zh: '秒', en: 'seconds' }, '读取文件超时，请拆分后再上传']
    log.warn(
      spoken({
        zh: `有上传的表格在 ${means} ${unit.zh}内未能读完，已拒绝；服务不受影响`,
        en: `an uploaded sheet could not be read within ${means} ${unit.en} and was refused; nothing else is affected`,
      }),
    )
    return new Refusal('badInput', [{ field: 'file', message }])
  }

  return function readSheetApart(task: SheetTask): Promise<ReadRow[]> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./sheet-process.ts', import.meta.url), {
        workerData: task,
        resourceLimits: {
          maxOldGenerationSizeMb: limits.memoryMb,
          maxYoungGenerationSizeMb: youngGenerationMb,
        },
        // The worker gets no settings and no secrets of the server.
        env: {},
        execArgv: [],
      })
      const rows: ReadRow[] = []
      const timer = setTimeout(() => finish(() => reject(refusalOf('time'))), limits.timeMs)
      const finish = (tell: () => void) => {
        clearTimeout(timer)
        worker.removeAllListeners()
        // An error of a worker that is being ended concerns nobody.
        worker.on('error', () => undefined)
        void worker.terminate()
        tell()
      }
      worker.on('message', (message: SheetMessage) => {
        if (message.kind === 'rows') for (const row of message.rows) rows.push(row)
        else if (message.kind === 'end') finish(() => resolve(rows))
        else {
          refused.inc({ reason: 'content' })
          const problem = { field: 'file', message: message.message }
          finish(() => reject(new Refusal(message.refusal, [problem])))
        }
      })
      worker.on('error', (error: NodeJS.ErrnoException) =>
        finish(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refusalOf('memory') : error)),
      )
      worker.on('exit', () => finish(() => reject(new Error('the thread that reads a sheet ended early'))))
    })
  }
}
