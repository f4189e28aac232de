// The English of history.texts.ts.
import type { English } from '../../../lib/texts/english.ts'
import type { historyTexts as Chinese } from './history.texts.ts'

export const historyTexts: English<typeof Chinese> = {
  title: 'Curves',
  choose: 'Choose readings',
  chosen: (count, most) => `${count} of at most ${most} chosen`,
  own: 'Device readings',
  bins: 'Compartment readings',
  bin: (no) => `Compartment ${no}`,
  none: 'No readings with history yet',
  noneHint: 'History begins when the device reports numbers.',
}
