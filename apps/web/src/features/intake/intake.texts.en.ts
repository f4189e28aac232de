// The English of intake.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { intakeTexts as Chinese } from './intake.texts.ts'

export const intakeTexts: English<typeof Chinese> = {
  title: 'Refused access',
  measure: 'record',
  refusal: 'Refusal',
  fields: {
    code: 'Device code',
    reason: 'Reason',
    range: 'Date',
    time: 'Last',
    firstTime: 'First',
    topic: 'Topic',
    detail: 'Details',
    payload: 'Payload',
    address: 'From address',
    count: 'Times',
    operator: 'Operator',
  },
  unregistered: 'Not registered',
  times: (count) => counted(count, 'time'),
  empty: 'No refused access',
  emptyHint: 'Devices connect as they should.',
  emptyFiltered: 'No records match',
  noPayload: 'No payload.',
}
