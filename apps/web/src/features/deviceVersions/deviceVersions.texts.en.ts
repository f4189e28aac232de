// The English of deviceVersions.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { deviceVersionTexts as Chinese } from './deviceVersions.texts.ts'

export const deviceVersionTexts: English<typeof Chinese> = {
  measure: 'device',
  fields: {
    partType: 'Part',
    version: 'Software',
    versions: 'Software',
    updateTime: 'Last report',
    hwVersion: 'Hardware',
  },
  versionHint: 'e.g. 1.4',
  exportUnmatched: 'Export mismatches',
  view: 'View versions',
  detail: (code) => `Software of ${code}`,
  empty: 'No devices yet',
  emptyHint: { device: 'Register a device', after: '; its versions appear here once reported.' },
  emptyFiltered: 'No devices match',
  none: 'Not reported',
  noneHint: 'The device has not reported software versions.',
  notFound: 'The device does not exist, or lies outside of your data scope',
  count: (count) => counted(count, 'part'),
  times: (count) => `×${count}`,
  parts: (numbers) => `no. ${numbers}`,
  newest: (version) => `newest ${version}`,
  isNewest: 'Up to date',
  upgrade: {
    action: 'Upgrade',
    chosen: 'Upgrade selected',
    title: 'Upgrade now',
    packages: 'Software files',
    packagesHint:
      'Several parts can be chosen; each device is upgraded in that order. Devices and parts that do not fit are left out.',
    remark: 'Remark',
    one: (code, type) => `${code} (${type})`,
    many: (count, type) => `${count} of ${type}`,
    mixed: 'The selected devices are of different types; select devices of one type.',
    packagesMissing: 'Choose software files',
    confirm: (what, versions) => `${what} will be upgraded to ${versions} now; the devices restart.`,
    offline: (count) => `${count} offline, upgraded when back.`,
    confirmAction: 'Upgrade',
    done: 'Upgrade started',
  },
}
