// The English of dictionary.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { dictionaryTexts as Chinese } from './dictionary.texts.ts'

export const dictionaryTexts: English<typeof Chinese> = {
  measure: 'entry',
  fields: {
    code: 'Code',
    name: 'Name',
    type: 'Type',
    note: 'Note',
    unit: 'Unit',
    alarmLevel: 'Alarm level',
    analysisType: 'Decoding',
    isFire: 'Fire alarm',
    definitions: 'Bit definitions',
  },
  typeHint: 'Choose, or enter a new type',
  newType: (type) => `New type ${type}`,
  unitHint: 'Shown after event values, e.g. %, kW; empty where the value is a code.',
  fireHint: 'While a compartment has this alarm, opening its door remotely needs a second person.',
  isFire: 'Yes',
  notFire: 'No',
  choose: 'Choose',
  fixed: 'Built in: type and code cannot be changed.',
  add: 'Add entry',
  edit: 'Edit',
  editTitle: (code) => `Edit entry ${code}`,
  empty: 'The dictionary is empty',
  emptyFiltered: 'No entries match',
  definitions: {
    titles: { BIT: 'Bit definitions', VALUE: 'Value definitions' },
    positions: { BIT: 'Bit', VALUE: 'Value' },
    name: 'Meaning',
    count: (count) => counted(count, 'definition'),
    ofClassify: (name, count) => `${name} (${count})`,
    withProblems: (name) => `${name} has problems`,
    addOne: 'Add',
    removeOne: (position) => `Delete ${position}`,
    none: 'No definitions for this class.',
    hint: 'What alarm values mean, for each device class; alarms are decoded by it at once.',
    positionOf: (what, row) => `${what} in row ${row}`,
  },
  remove: {
    ...en.removal,
    title: 'Delete entry',
    ask: (type, code, name) => `${type} ${code} (${name}) will be deleted.`,
    alarmWarn: 'Past alarms will show the code only; the bit definitions are deleted as well.',
  },
}
