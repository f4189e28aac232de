// The English of cabinet.texts.ts.
import type { English } from '../../../lib/texts/english.ts'
import type { cabinetTexts as Chinese } from './cabinet.texts.ts'

const number = (no: number) => `Compartment ${no}`

export const cabinetTexts: English<typeof Chinese> = {
  title: 'Compartments',
  number,
  numbered: '',
  looks: {
    empty: 'Empty',
    charging: 'Charging',
    full: 'Full',
    idle: 'Idle',
    fault: 'Fault',
    disabled: 'Disabled',
    unknown: 'Unknown',
  },
  measures: { soc: 'SOC', temperature: 'Temp.', voltage: 'Voltage', current: 'Current', soh: 'SOH' },
  show: 'Show',
  doorOpen: 'Door open',
  doorShut: 'Door shut',
  locked: 'Locked',
  unlocked: 'Unlocked',
  calm: 'Nothing unusual',
  trouble: ({ kind, name }) => (kind === 'alarm' ? name : kind === 'fault' ? 'Fault' : 'Door open'),
  troubles: 'Troubles',
  counts: 'Compartments by state',
  reported: 'Reported',
  neverReported: {
    away: 'The device has never connected; there are no compartments to show.',
    awayHint: 'They appear once it reports its status. If it is wired on site, look at the refused access.',
    silent: 'The device is connected, but its status has no compartments; their state is unknown.',
  },
  away: (since) => `The device is offline since ${since}; this is what it reported last.`,
  old: 'No report for a long time; this may not be the present state.',
  detail: {
    hint: 'Choose a compartment for details. Arrow keys move, Enter opens.',
    state: 'State',
    battery: 'Battery',
    door: 'Door',
    lock: 'Lock',
    alarms: 'Alarms',
    unreported: 'The last report did not have this compartment.',
    curve: 'Curve',
    actions: 'Actions',
  },
}
