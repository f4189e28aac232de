import type { listAlarms } from '@voltkeep/contract/alarms'
import { readLeniently } from '../src/lib/schemaInput.ts'
import { outgoingOf } from '../src/lib/wire/outgoing.ts'
import type { FirstList } from './begin.ts'

/** The call that a list makes before anybody has chosen anything. */
export function firstListOf(endpoint: typeof listAlarms): FirstList {
  const { address } = outgoingOf(endpoint, readLeniently(endpoint.input, {}))
  return { access: endpoint.access, path: endpoint.path, address }
}
