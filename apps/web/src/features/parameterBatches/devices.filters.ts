import { listBatchDevices, listBatchLog } from '@voltkeep/contract/parameterBatches'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'

// Calls for the devices and the log of the open batch. The address contains the batch, so it is not one of the
// filters.

export const devicesOfBatch = {
  ...listBatchDevices,
  input: z.omit(listBatchDevices.input, { id: true }),
}

export const logOfBatch = { ...listBatchLog, input: z.omit(listBatchLog.input, { id: true }) }

/** Changes the filters of the list, as a link would. */
export function useDeviceFilters() {
  const [, setFilters] = useUrlState(devicesOfBatch.input)
  return { show: (filters: { states?: readonly string[]; reason?: string }) => setFilters(filters) }
}
