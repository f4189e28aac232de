import type { listAlarms } from '@voltkeep/contract/alarms'
import type { listDevices } from '@voltkeep/contract/devices'
import { readLeniently } from '../src/lib/schemaInput.ts'
import { outgoingOf } from '../src/lib/wire/outgoing.ts'
import type { FirstList } from './begin.ts'

/** The call that a list makes before anybody has chosen anything. */
export function firstListOf(endpoint: typeof listAlarms | typeof listDevices): FirstList {
  const { address, body } = outgoingOf(endpoint, readLeniently(endpoint.input, {}))
  if (body instanceof FormData) throw new Error(`${endpoint.path} takes a file`)
  return { access: endpoint.access, path: endpoint.path, address, body }
}
