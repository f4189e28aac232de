// The English of stock.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { stockTexts as Chinese } from './stock.texts.ts'

export const stockTexts: English<typeof Chinese> = {
  measures: { device: 'device', operator: 'operator', region: 'region' },
  stale: 'The list has changed',
  groups: 'Group by',
  sums: 'Total',
  empty: 'No device has reported compartments yet',
  emptyHint:
    'Full, charging and empty compartments are counted here once devices report them in their status.',
  emptyFiltered: 'No devices match',
  fields: {
    device: 'Device code',
    operator: 'Operator',
    region: 'Region',
    devices: 'Devices',
    low: 'Low stock',
    full: 'Full',
    charging: 'Charging',
    idle: 'Idle',
    empty: 'Empty',
    faulty: 'Faulty',
    disabled: 'Disabled',
    usable: 'Usable',
    changed: 'Changed',
  },
  count: (count, measure) => counted(count, measure),
  lowTitle: (count) => `Devices with fewer than ${count} full batteries`,
  usableTitle: 'Compartments that are neither faulty nor disabled',
}
