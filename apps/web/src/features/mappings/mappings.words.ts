import { formatDateTime } from '@voltkeep/contract/fields'
import type { MappingDocument } from '@voltkeep/contract/mappings'

/** How a message of the document is typed: bytes as digits. */
export const encodingFor = (document: Pick<MappingDocument, 'format'> | undefined): 'text' | 'hex' =>
  document?.format === 'binary' ? 'hex' : 'text'

/** When, and what a report says: without its id, which is made up where the message has none. */
export function saidOf(payload: unknown): { time: string; said: string } {
  const { id: _, time, ...said } = payload as Record<string, unknown>
  return {
    time: typeof time === 'number' ? formatDateTime(new Date(time)) : '',
    said: JSON.stringify(said, null, 1),
  }
}
