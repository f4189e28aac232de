import type { listAlarms } from '@voltkeep/contract/alarms'
import type { listDevices } from '@voltkeep/contract/devices'
import { readLeniently } from '../src/lib/schemaInput.ts'
import { outgoingOf } from '../src/lib/wire/outgoing.ts'
import type { FirstList } from './begin.ts'

/** The call that a list makes before anybody has chosen anything, with what its page assumes. */
export function firstListOf(
  endpoint: typeof listAlarms | typeof listDevices,
  assumed: Record<string, unknown> = {},
): FirstList {
  const { address, body } = outgoingOf(endpoint, { ...readLeniently(endpoint.input, {}), ...assumed })
  if (body instanceof FormData) throw new Error(`${endpoint.path} takes a file`)
  return { access: endpoint.access, path: endpoint.path, address, body }
}
