// The English of work.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { workTexts as Chinese } from './work.texts.ts'

export const workTexts: English<typeof Chinese> = {
  counting: 'Counting…',
  leftOutFile: 'Export list',
  allStates: 'All states',
  stale: 'The list has changed',
  unknownState: 'Unknown state',
}
