// The English of events.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { eventTexts as Chinese } from './events.texts.ts'

export const eventTexts: English<typeof Chinese> = {
  title: 'Events',
  measure: 'event',
  fields: { name: 'Event', nameHint: 'Name or code', range: 'Occurred', value: 'Value', data: 'Extra data' },
  // The units of the events that an installation starts with.
  oneWord: (value, unit) =>
    ({ 号仓: `Compartment ${value}`, 号门: `Door ${value}`, 个: value, 分钟: `${value} min` })[unit] ?? null,
  view: 'View',
  noData: 'The device sent no extra data.',
  detail: { title: 'Event', notFound: 'The event does not exist, or lies outside of your data scope' },
  empty: 'No events in the last 30 days',
  emptyHint: 'Change the dates to find older ones.',
  emptyFiltered: 'No events match',
}
