// The English of alarms.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { alarmTexts as Chinese } from './alarms.texts.ts'

export const alarmTexts: English<typeof Chinese> = {
  tenThousands: (count) => `${Math.floor(count / 100) / 10}k`,
  title: 'Alarms',
  measure: 'alarm',
  tabs: { current: 'Current', shelved: 'Shelved', history: 'History', shelves: 'Shelving' },
  fields: {
    ...en.fields,
    content: 'Alarm',
    contentHint: 'Name or code',
    reportDate: 'Reported',
    occurrenceDate: 'Occurred',
    level: 'Level',
    state: 'State',
    value: 'Value',
    reportTime: 'Reported',
    recoveryTime: 'Recovered',
    recoveryMethod: 'Recovery',
    recoveredBy: 'Recovered by',
    note: 'Note',
    duration: 'Duration',
    firstValue: 'First value',
  },
  states: { active: 'Active', recovered: 'Recovered', all: 'All' },
  content: 'Alarm',
  none: 'No alarms',
  lasting: (duration) => `for ${duration}`,
  emptyCurrent: 'No current alarms',
  emptyBeside: 'No other alarms',
  emptyCurrentHint: 'Alarms appear here as devices report them.',
  emptyHistory: 'No alarms in the last 30 days',
  emptyHistoryHint: 'Change the dates to find older ones.',
  emptyFiltered: 'No alarms match',
  live: {
    waiting: (count, critical) =>
      critical === undefined
        ? counted(count, 'new alarm')
        : `${counted(count, 'new alarm')}, ${critical} critical`,
    stale: 'Many alarms have changed; click to refresh',
  },
  handle: { state: 'Handling', mine: 'Mine' },
}
