// The English of causes.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { causeTexts as Chinese } from './causes.texts.ts'

export const causeTexts: English<typeof Chinese> = {
  label: 'Alarms of one cause',
  kinds: { site: 'Same site', network: 'Same network', cabinet: 'Device offline' },
  network: (start) => `${start}*`,
  alarms: (count) => counted(count, 'alarm'),
  unacknowledged: (count) => `${count} unacknowledged`,
  offline: (count) => `${count} offline`,
  devices: (count) => counted(count, 'device'),
  open: 'Expand',
  openOf: (line) => `Expand the alarms of ${line}`,
  back: 'Back to all alarms',
  over: 'All alarms of this cause have recovered, or lie outside of your data scope.',
  ack: (count) => `Acknowledge ${count}`,
  claim: (count) => `Claim ${count}`,
  askTitle: (deed, line) => `${deed}: ${line}`,
  askBody: (count) =>
    `The ${counted(count, 'alarm')} of this cause that you may see and that match the filters.`,
  more: (count) => `${count} more`,
  fewer: 'Fewer',
}
