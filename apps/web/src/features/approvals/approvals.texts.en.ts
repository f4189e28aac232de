// The English of approvals.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { approvalTexts as Chinese } from './approvals.texts.ts'

export const approvalTexts: English<typeof Chinese> = {
  measure: 'request',
  kinds: {
    action: 'Remote action',
    parameterBatch: 'Batch settings',
    upgrade: 'Upgrade',
    automatic: 'Automatic upgrade',
    alarmShelf: 'Shelving',
  },
  states: {
    waiting: 'Waiting',
    agreed: 'Agreed',
    refused: 'Refused',
    expired: 'Expired',
    void: 'Void',
    withdrawn: 'Withdrawn',
  },
  causes: { fire: 'Fire alarm', safety: 'Safety parameter', many: 'Many devices' },
  fields: {
    subject: 'Request',
    kind: 'Kind',
    state: 'State',
    causes: 'Why asked',
    deviceCount: 'Devices',
    createBy: 'Requested by',
    createTime: 'Requested',
    expireTime: 'Until',
    decideBy: 'Decided by',
    decideTime: 'Decided',
    note: 'Note',
  },
  devices: (count) => counted(count, 'device'),
  agree: 'Agree',
  refuse: 'Refuse',
  withdraw: 'Withdraw',
  ask: {
    agreeTitle: 'Agree and run now',
    agreeBody: (by) => `It runs at once in the name of ${by} and cannot be taken back.`,
    refuseTitle: 'Refuse',
    note: 'Reason',
    withdrawTitle: 'Withdraw request',
    withdrawBody: 'It has to be submitted again afterwards.',
  },
  title: 'Request',
  none: 'No requests are waiting',
  noneHint:
    'Opening the door of a compartment on fire, and batch settings, upgrades and automatic upgrades for which a second person is demanded, are listed here.',
  emptyFiltered: 'No requests match',
}
