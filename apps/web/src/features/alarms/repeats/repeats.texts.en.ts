// The English of repeats.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { repeatTexts as Chinese } from './repeats.texts.ts'

export const repeatTexts: English<typeof Chinese> = {
  title: 'Repeats',
  times: (count) => `×${count}`,
  count: 'Times',
  total: (count) => counted(count, 'time'),
  span: (count, first, last) => `${counted(count, 'time')} from ${first} to ${last}`,
  first: 'First',
  last: 'Last',
  chatter: 'Chattering',
  chatterOf: { chattering: '3 times or more within a minute', flapping: '5 times or more within 30 minutes' },
  hint: 'Raised again within 5 minutes after recovery counts as the same problem.',
  advice:
    'If this does not match what is seen on site, check sensor and wiring; the alarm can be shelved until it is repaired.',
  all: 'All records',
  more: (count) => `${count} more in all records`,
}
