import { notice } from '../../platform/database/notices/notices.ts'

/** Batches that were added or changed, their counts included, by id. */
export const parameterBatchesChanged = notice<number>('parameterBatchesChanged')
/** Devices of batches that changed, by the target's id. */
export const batchDevicesChanged = notice<string>('batchDevicesChanged')
