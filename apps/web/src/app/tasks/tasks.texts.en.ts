// The English of tasks.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { taskTexts as Chinese } from './tasks.texts.ts'

export const taskTexts: English<typeof Chinese> = {
  title: 'My tasks',
  running: (count) => `My tasks: ${count} running`,
  none: 'No tasks in the last 24 hours',
  noneHint:
    'Handling and recovering many alarms, device imports, log extraction, batch settings, upgrades, uploads and exports are listed here. They go on when you leave the page.',
  failed: 'Tasks could not be loaded',
  kinds: {
    alarmHandling: 'Handle alarms',
    alarmRecovery: 'Recover alarms',
    approval: 'Needs consent',
    deviceImport: 'Import devices',
    logExtraction: 'Extract log',
    parameterBatch: 'Batch settings',
    upgrade: 'Upgrade',
  },
  states: { running: 'Running', paused: 'Paused', done: 'Done', failed: 'Failed', cancelled: 'Cancelled' },
  partly: 'Partly failed',
  waits: { approval: 'Waiting for consent', parameterBatch: 'Waiting to continue' },
  units: {
    alarmHandling: 'alarms',
    alarmRecovery: 'alarms',
    approval: 'items',
    deviceImport: 'devices',
    parameterBatch: 'devices',
    upgrade: 'parts',
  },
  count: (done, total, unit) => `${done} / ${total} ${unit}`,
  failedCount: (count) => `${count} failed`,
  skippedHandling: (count) => `${count} needed nothing`,
  skippedAlarms: (count) => `${count} had recovered before`,
  received: (bytes) => `${bytes} received`,
  downloading: 'Downloading; closing or reloading the page stops it',
  uploading: 'Uploading; closing or reloading the page stops it',
  processing: 'Processing',
  uploaded: 'Uploaded; open the form again to go on',
  sent: (bytes, ofBytes) => `${bytes} / ${ofBytes}`,
  retry: 'Retry',
  remove: 'Remove',
  cancel: 'Cancel',
  ended: {
    done: (what) => `${what}: done`,
    failed: (what) => `${what}: failed`,
    cancelled: (what) => `${what}: cancelled`,
    paused: (what, state, note) => (note === null ? `${what}: ${state}` : `${what}: ${state}. ${note}`),
    goesOn: (what, note) => `${what}: ${note ?? 'continued'}`,
  },
  secrets: {
    action: 'Renew secrets',
    title: 'Renew device secrets',
    body: (file) =>
      `Use this if you did not get the result file of “${file}”. Devices of this import that have never connected get new secrets; their old ones end at once.`,
  },
}
