import {
  continueParameterBatch,
  exportFailedBatchDevices,
  exportLeftOutOfBatch,
  exportLeftOutOfRestoration,
  insertParameterBatch,
  listBatchDevices,
  listBatchLog,
  listParameterBatches,
  previewParameterBatch,
  previewRestoration,
  readParameterBatch,
  restoreParameterBatch,
  retryParameterBatch,
  stopParameterBatch,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { ParameterBatches } from './batches.service.ts'
import type { BatchControl } from './control.service.ts'

export function mountParameterBatches(api: Api, batches: ParameterBatches, control: BatchControl): void {
  api.mount(listParameterBatches, ({ actor, input }) => batches.listBatches(actor, input))
  api.mount(insertParameterBatch, ({ actor, input }) => batches.insertBatch(actor, input))
  api.mount(previewParameterBatch, ({ actor, input }) => batches.previewBatch(actor, input))
  api.mount(exportLeftOutOfBatch, ({ actor, input }) => batches.exportLeftOut(actor, input))
  api.mount(readParameterBatch, ({ actor, input }) => batches.readBatch(actor, input.id))
  api.mount(listBatchDevices, ({ actor, input }) => batches.listDevices(actor, input))
  api.mount(listBatchLog, ({ actor, input }) => batches.listLog(actor, input))
  api.mount(exportFailedBatchDevices, ({ actor, input }) => batches.exportFailed(actor, input.id))
  api.mount(retryParameterBatch, ({ actor, input }) => control.retryBatch(actor, input))
  api.mount(continueParameterBatch, ({ actor, input }) => control.continueBatch(actor, input.id))
  api.mount(stopParameterBatch, ({ actor, input }) => control.stopBatch(actor, input.id))
  api.mount(previewRestoration, ({ actor, input }) => control.previewRestoration(actor, input.id))
  api.mount(exportLeftOutOfRestoration, ({ actor, input }) =>
    control.exportLeftOutOfRestoration(actor, input.id),
  )
  api.mount(restoreParameterBatch, ({ actor, input }) => control.restoreBatch(actor, input))
}
