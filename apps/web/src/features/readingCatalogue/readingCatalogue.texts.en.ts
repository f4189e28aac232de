// The English of readingCatalogue.texts.ts.

import { en } from '../../lib/texts/en.ts'
import type { English } from '../../lib/texts/english.ts'
import type { readingCatalogueTexts as Chinese } from './readingCatalogue.texts.ts'

const duration = (seconds: number): string => {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

export const readingCatalogueTexts: English<typeof Chinese> = {
  measure: 'reading',
  fields: {
    equipType: 'Device type',
    keyword: 'Key or name',
    key: 'Key',
    name: 'Name',
    unit: 'Unit',
    decimals: 'Decimals',
    group: 'Group',
    plausible: 'Plausible',
    plausibleMin: 'Plausible from',
    plausibleMax: 'Plausible to',
    normal: 'Normal',
    normalMin: 'Normal from',
    normalMax: 'Normal to',
    history: 'History',
    keepsHistory: 'Keep history',
    deadband: 'Deadband',
    longestSeconds: 'Longest gap (s)',
    orderNum: 'Order',
  },
  choose: 'Choose',
  keyHint: 'As in the status that devices report; of compartments, e.g. compartments.*.soc.',
  decimalsHint: 'Empty: shown as reported.',
  plausibleHint: 'Values outside are marked implausible and kept in no history.',
  normalHint: 'Values outside are marked; they raise no alarm.',
  deadbandHint: 'A value that differs from the last kept one by no more than this is not kept.',
  longestHint: 'Kept at least this often, however little it changes.',
  range: (least, most) =>
    least === null ? `≤ ${most}` : most === null ? `≥ ${least}` : `${least} to ${most}`,
  thinning: (deadband, seconds) =>
    deadband > 0
      ? `changes over ${deadband}, or every ${duration(seconds)}`
      : `changes, or every ${duration(seconds)}`,
  notKept: 'not kept',
  add: 'Add reading',
  edit: 'Edit',
  editTitle: (name) => `Edit reading ${name}`,
  empty: 'No readings yet',
  emptyHint:
    'Readings outside of the catalogue are shown and kept as well; with an entry they have unit, range and group.',
  emptyFiltered: 'No readings match',
  remove: {
    ...en.removal,
    title: 'Delete reading',
    ask: (type, name) => `Reading ${name} will be deleted from the catalogue of ${type}.`,
    warn: 'Values are then shown and kept as reported; existing history stays.',
  },
}
