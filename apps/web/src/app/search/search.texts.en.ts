// The English of search.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { searchTexts as Chinese } from './search.texts.ts'

export const searchTexts: English<typeof Chinese> = {
  title: 'Search',
  open: 'Search',
  placeholder: 'Device, battery, region, operator, task, firmware, user or page',
  kinds: {
    recent: 'Recently opened',
    device: 'Devices',
    battery: 'Batteries',
    region: 'Regions',
    operator: 'Operators',
    task: 'Tasks',
    package: 'Firmware',
    user: 'Users',
    page: 'Pages',
    function: 'Functions',
  },
  tasks: { upgrade: 'Upgrade task', batch: 'Batch settings' },
  testVersion: 'Test',
  devices: (count) => counted(count, 'device'),
  batteryAt: (device, compartment, isAway) =>
    isAway ? `Not in a cabinet, last in ${device}` : `${device} · compartment ${compartment}`,
  nothing: (keyword) => `“${keyword}” was not found`,
  nothingHint: 'Any part of a code will do; separate several codes with spaces or commas.',
  count: (count) => counted(count, 'result'),
  failed: 'The search failed',
  keys: { move: 'Select', go: 'Open', close: 'Close' },
  clear: 'Clear history',
}
