// The English of record.texts.ts.
import type { English } from '../../../lib/texts/english.ts'
import type { recordTexts as Chinese } from './record.texts.ts'

export const recordTexts: English<typeof Chinese> = {
  print: 'Printable record',
  carried: 'Raised again; the earlier handling goes on',
}
