import { listBatchDevices, listBatchLog } from '@voltkeep/contract/parameterBatches'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'

// Devices and log of the batch that the page is about: the address says which one by itself.

export const devicesOfBatch = {
  ...listBatchDevices,
  input: z.omit(listBatchDevices.input, { id: true }),
}

export const logOfBatch = { ...listBatchLog, input: z.omit(listBatchLog.input, { id: true }) }

/** Shows other devices in the list, as a link would. */
export function useDeviceFilters() {
  const [, setFilters] = useUrlState(devicesOfBatch.input)
  return { show: (filters: { states?: readonly string[]; reason?: string }) => setFilters(filters) }
}
