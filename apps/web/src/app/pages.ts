import type { ComponentType } from 'react'
import type { SeldomPage } from './seldomPages.ts'

type LoadPage = () => Promise<{ default: ComponentType }>

/** A page that few open: a file of its own names those, so that what everybody loads first names one file for all. */
const seldom =
  (page: SeldomPage): LoadPage =>
  async () =>
    (await import('./seldomPages.ts')).seldomPages[page]()

/**
 * Every page by its component key, as menus name it in `url`. A new page is one line here; each is
 * a chunk of its own.
 */
export const pages: Record<string, LoadPage> = {
  'maintenance/exitWarning': () => import('../features/alarms/AlarmPage.tsx'),
  'maintenance/batchsetting': () => import('../features/parameterBatches/ParameterBatchPage.tsx'),
  'maintenance/eventsearch': () => import('../features/events/EventPage.tsx'),
  'maintenance/advertise': () => import('../features/advertisements/AdvertisementPage.tsx'),
  'maintenance/logextract': () => import('../features/logs/LogPage.tsx'),
  'maintenance/action': () => import('../features/devices/actions/RemoteActionPage.tsx'),
  'maintenance/approval': () => import('../features/approvals/ApprovalPage.tsx'),
  'maintenance/notify': () => import('../features/notifications/NotifyPage.tsx'),
  'maintenance/handover': () => import('../features/handover/HandoverPage.tsx'),
  'maintenance/report': () => import('../features/reports/ReportPage.tsx'),
  'equipment/list': () => import('../features/devices/DevicePage.tsx'),
  'equipment/intake': () => import('../features/intake/IntakePage.tsx'),
  'equipment/mapping': seldom('equipment/mapping'),
  'equipment/ocppCode': seldom('equipment/ocppCode'),
  'equipment/battery': () => import('../features/batteries/BatteryPage.tsx'),
  'equipment/stock': () => import('../features/stock/StockPage.tsx'),
  'equipment/hwVersion': seldom('equipment/hwVersion'),
  'upgrade/board': seldom('upgrade/board'),
  'upgrade/firmware': () => import('../features/firmware/FirmwarePage.tsx'),
  'upgrade/softwareVersion': () => import('../features/firmware/SoftwareVersionPage.tsx'),
  'upgrade/upgradeTask': () => import('../features/upgrades/UpgradeTaskPage.tsx'),
  'upgrade/upgradeLog': () => import('../features/upgrades/UpgradeLogPage.tsx'),
  'upgrade/version': () => import('../features/deviceVersions/DeviceVersionPage.tsx'),
  'system/dictionary': seldom('system/dictionary'),
  'reference/equipType': seldom('reference/equipType'),
  'reference/readingCatalogue': seldom('reference/readingCatalogue'),
  'system/user': seldom('system/user'),
  'system/session': seldom('system/session'),
  'system/apiKey': seldom('system/apiKey'),
  'system/signIn': seldom('system/signIn'),
  'system/menu': seldom('system/menu'),
  'system/role': seldom('system/role'),
  'reference/organization': seldom('reference/organization'),
  'reference/operator': seldom('reference/operator'),
  'reference/region': seldom('reference/region'),
  'system/operation': seldom('system/operation'),
  'system/server': seldom('system/server'),
}
