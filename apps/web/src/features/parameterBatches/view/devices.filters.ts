import { listBatchDevices, listBatchLog } from '@voltkeep/contract/parameterBatches'
import * as z from 'zod/mini'

// Calls for the devices and the log of the open batch. The address contains the batch, so it is not one of the
// filters.

export const devicesOfBatch = {
  ...listBatchDevices,
  input: z.omit(listBatchDevices.input, { id: true }),
}

export const logOfBatch = { ...listBatchLog, input: z.omit(listBatchLog.input, { id: true }) }
