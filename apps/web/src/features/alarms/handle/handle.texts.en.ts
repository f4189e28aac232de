// The English of handle.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { handleTexts as Chinese } from './handle.texts.ts'

export const handleTexts: English<typeof Chinese> = {
  record: 'Handling',
  cause: 'Cause',
  note: 'Note',
  assignee: 'Assignee',
  assigneeHint: 'Only users who may see the device are listed.',
  notePlaceholder: 'E.g. site team informed, done by 18:00',
  names: {
    ack: 'Acknowledge',
    claim: 'Claim',
    close: 'Close',
    assign: 'Assign',
    note: 'Note',
    shelve: 'Shelve',
    release: 'Release',
    unack: 'Undo acknowledge',
  },
  titles: { close: 'Close alarm', assign: 'Assign alarm', note: 'Note on alarm' },
  done: {
    ack: 'Acknowledged',
    claim: 'Claimed',
    close: 'Closed',
    assign: 'Assigned',
    note: 'Noted',
    shelve: 'Shelved',
    release: 'Released',
    unack: 'Acknowledgement undone',
  },
  doneMany: (done, skipped) =>
    skipped === undefined
      ? `${counted(done, 'alarm')} handled`
      : `${counted(done, 'alarm')} handled, ${skipped} needed nothing`,
  to: (name) => `to ${name}`,
  aboutOne: (device, alarm) => `“${alarm}” of device ${device}.`,
  aboutMany: (count) => `${counted(count, 'alarm')}.`,
  more: (device, alarm) => `More actions on ${device} ${alarm}`,
  moreChosen: 'More handling',
  chosen: (name, count) => `${name} ${count} selected`,
  all: (name, count) => `${name} all ${count}`,
  allTitle: (name, count) => `${name} ${counted(count, 'alarm')}`,
  allBody: (count) =>
    `The ${counted(count, 'alarm')} that match the filters, including those on other pages.`,
}
