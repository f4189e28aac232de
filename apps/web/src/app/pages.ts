import type { ComponentType } from 'react'

type LoadPage = () => Promise<{ default: ComponentType }>

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
  'equipment/mapping': () => import('../features/mappings/MappingPage.tsx'),
  'equipment/battery': () => import('../features/batteries/BatteryPage.tsx'),
  'equipment/stock': () => import('../features/stock/StockPage.tsx'),
  'equipment/hwVersion': () => import('../features/hwVersions/HwVersionPage.tsx'),
  'upgrade/board': () => import('../features/boards/BoardPage.tsx'),
  'upgrade/firmware': () => import('../features/firmware/FirmwarePage.tsx'),
  'upgrade/softwareVersion': () => import('../features/firmware/SoftwareVersionPage.tsx'),
  'upgrade/upgradeTask': () => import('../features/upgrades/UpgradeTaskPage.tsx'),
  'upgrade/upgradeLog': () => import('../features/upgrades/UpgradeLogPage.tsx'),
  'upgrade/version': () => import('../features/deviceVersions/DeviceVersionPage.tsx'),
  'system/dictionary': () => import('../features/dictionary/DictionaryPage.tsx'),
  'reference/equipType': () => import('../features/equipTypes/EquipTypePage.tsx'),
  'reference/readingCatalogue': () => import('../features/readingCatalogue/ReadingCataloguePage.tsx'),
  'system/user': () => import('../features/users/UserPage.tsx'),
  'system/session': () => import('../features/session/SessionPage.tsx'),
  'system/menu': () => import('../features/menus/MenuPage.tsx'),
  'system/role': () => import('../features/roles/RolePage.tsx'),
  'reference/organization': () => import('../features/organizations/OrganizationPage.tsx'),
  'reference/operator': () => import('../features/operators/OperatorPage.tsx'),
  'reference/region': () => import('../features/regions/RegionPage.tsx'),
  'system/operation': () => import('../features/operations/OperationPage.tsx'),
  'system/server': () => import('../features/serverStatus/ServerPage.tsx'),
}
