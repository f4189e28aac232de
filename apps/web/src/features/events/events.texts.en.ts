// The English of events.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { eventTexts as Chinese } from './events.texts.ts'

export const eventTexts: English<typeof Chinese> = {
  title: 'Events',
  measure: 'event',
  fields: { name: 'Event', nameHint: 'Name or code', range: 'Occurred', value: 'Value', data: 'Extra data' },
  // `Compartment 4`, but 20 min, 50 Hz.
  oneWord: (value, unit) => (/^[A-Z][a-z]{3,}$/.test(unit) ? `${unit} ${value}` : null),
  view: 'View',
  noData: 'The device sent no extra data.',
  detail: { title: 'Event', notFound: 'The event does not exist, or lies outside of your data scope' },
  empty: 'No events in the last 30 days',
  emptyHint: 'Change the dates to find older ones.',
  emptyFiltered: 'No events match',
}
