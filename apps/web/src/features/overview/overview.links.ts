import { longOfflineHours } from '@voltkeep/contract/devices'

// Where the figures lead: pages by their component keys, and the filters that make a list what the figure counts.

export const alarmPage = 'maintenance/exitWarning'
export const devicePage = 'equipment/list'
export const upgradePage = 'upgrade/upgradeTask'
export const batchPage = 'maintenance/batchsetting'
export const versionPage = 'upgrade/version'

/** Only activated devices count as online or offline. */
export const onlineSearch = { statuses: 1, isOnline: 1 }
export const offlineSearch = { statuses: 1, isOnline: 0 }
export const longOfflineSearch = { statuses: 1, offlineHours: longOfflineHours }
