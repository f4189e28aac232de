// The English of sums.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { sumTexts as Chinese } from './sums.texts.ts'

export const sumTexts: English<typeof Chinese> = {
  show: 'Figures',
  total: (count) => counted(count, 'alarm'),
  mean: (duration) => `mean duration ${duration}`,
  meanOf: 'Of recovered alarms only',
  noMean: 'too many for a mean duration',
  chart: { day: 'Alarms by day', week: 'Alarms by week', month: 'Alarms by month' },
  most: (when, count) => `most on ${when}: ${count}`,
  bar: (when, count, levels) =>
    levels ? `${when}: ${counted(count, 'alarm')} (${levels})` : `${when}: ${counted(count, 'alarm')}`,
  level: (name, count) => `${name} ${count}`,
  and: ', ',
  range: (first, last) => `${first} to ${last}`,
  open: 'press to list them',
}
