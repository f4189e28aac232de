import { longOfflineHours } from '@voltkeep/contract/devices'
import { lowStock } from '@voltkeep/contract/stock'

/** Four columns, which have room for more alarms and a higher chart. */
export const widestQuery = '(width >= 2300px)'

// Link targets of the figures: component keys of pages, and the filters with which a list shows what the figure
// counts.

export const alarmPage = 'maintenance/exitWarning'
export const devicePage = 'equipment/list'
export const upgradePage = 'upgrade/upgradeTask'
export const batchPage = 'maintenance/batchsetting'
export const versionPage = 'upgrade/version'

/** Active alarms that are kept quiet, which the list of what stands leaves out. */
export const shelvedSearch = { tab: 'shelved', isShelved: '1' }
/** Only activated devices count as online or offline. */
export const onlineSearch = { statuses: 1, isOnline: 1 }
export const offlineSearch = { statuses: 1, isOnline: 0 }
export const longOfflineSearch = { statuses: 1, offlineHours: longOfflineHours }
export const lowStockSearch = { statuses: 1, isOnline: 1, fullFewerThan: lowStock }
