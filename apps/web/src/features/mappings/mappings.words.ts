import type { FieldProblem } from '@voltkeep/contract/endpoint'
import { formatDateTime } from '@voltkeep/contract/fields'
import { type MappingDocument, type MappingTarget, mappingTargetNames } from '@voltkeep/contract/mappings'
import { mappingTexts } from './mappings.texts.ts'

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

/** What a report is, by its name in the device protocol. */
export const reportName = (name: string): string =>
  name === 'status' ? mappingTargetNames.reading : (mappingTargetNames[name as MappingTarget] ?? name)

const ownFields = ['name', 'modelIds', 'isEnabled']

/** The document is one field of the form: what is wrong in it stands there, with its place. */
export function problemOfForm({ field, message }: FieldProblem): FieldProblem {
  const [part = '', at, ...within] = field.split('.')
  if (ownFields.includes(part)) return { field, message }
  const numbered = mappingTexts.placeOf[part]
  const place =
    at === undefined
      ? ''
      : numbered
        ? [numbered(Number(at) + 1), within.join('.')].filter(Boolean).join(' ')
        : [at, ...within].join('.')
  return { field: 'document', message: place === '' ? message : `${place}：${message}` }
}
