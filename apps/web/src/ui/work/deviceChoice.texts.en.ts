// The English of deviceChoice.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { deviceChoiceTexts as Chinese } from './deviceChoice.texts.ts'

export const deviceChoiceTexts: English<typeof Chinese> = {
  way: 'Choose by',
  byFilters: 'Conditions',
  byCodes: 'Codes',
  all: 'All devices',
  counting: 'Counting…',
  counted: { filters: 'Matching', codes: 'Found', all: 'All devices' },
  devices: 'devices',
  noFilters: 'Set conditions, or choose “All devices”',
  noCodes: 'One device code per line',
  unknown: (count) => `${counted(count, 'code')} not found:`,
  copyUnknown: 'Copy',
  more: (count) => `…and ${count} more`,
}
