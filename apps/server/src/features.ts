// The list of features: what this server does, a line each.
import { access } from './domain/access/index.ts'
import { deviceWork } from './domain/device-work/index.ts'
import { history } from './domain/history/index.ts'
import { actions } from './features/actions/index.ts'
import { advertisements } from './features/advertisements/index.ts'
import { alarms } from './features/alarms/index.ts'
import { apiKeys } from './features/api-keys/index.ts'
import { approvals } from './features/approvals/index.ts'
import { backups } from './features/backups/index.ts'
import { batteries } from './features/batteries/index.ts'
import { boards } from './features/boards/index.ts'
import { ddi } from './features/ddi/index.ts'
import { deviceTimeline } from './features/device-timeline/index.ts'
import { deviceVersions } from './features/device-versions/index.ts'
import { devices } from './features/devices/index.ts'
import { dictionary } from './features/dictionary/index.ts'
import { equipTypes } from './features/equip-types/index.ts'
import { events } from './features/events/index.ts'
import { feed } from './features/feed/index.ts'
import { firmware } from './features/firmware/index.ts'
import { handover } from './features/handover/index.ts'
import { hwVersions } from './features/hw-versions/index.ts'
import { intake } from './features/intake/index.ts'
import { live } from './features/live/index.ts'
import { logExtraction } from './features/log-extraction/index.ts'
import { mappings } from './features/mappings/index.ts'
import { menus } from './features/menus/index.ts'
import { notifications } from './features/notifications/index.ts'
import { operations } from './features/operations/index.ts'
import { operators } from './features/operators/index.ts'
import { organizations } from './features/organizations/index.ts'
import { overview } from './features/overview/index.ts'
import { parameterBatches } from './features/parameter-batches/index.ts'
import { permissions } from './features/permissions/index.ts'
import { preferences } from './features/preferences/index.ts'
import { readings } from './features/readings/index.ts'
import { regions } from './features/regions/index.ts'
import { reports } from './features/reports/index.ts'
import { roles } from './features/roles/index.ts'
import { savedFilters } from './features/saved-filters/index.ts'
import { search } from './features/search/index.ts'
import { serverStatus } from './features/server-status/index.ts'
import { sessions } from './features/sessions/index.ts'
import { signIn } from './features/sign-in/index.ts'
import { site } from './features/site/index.ts'
import { syslog } from './features/syslog/index.ts'
import { tasks } from './features/tasks/index.ts'
import { upgrades } from './features/upgrades/index.ts'
import { users } from './features/users/index.ts'
import { orderSeeds } from './platform/database/seeds.ts'
import type { Feature } from './platform/feature.ts'

/**
 * Everything that this server does: the three parts of the domain, then the features, in the order of their calls in the
 * OpenAPI document.
 */
export const features: readonly Feature<unknown>[] = [
  access,
  deviceWork,
  history,
  preferences,
  savedFilters,
  sessions,
  signIn,
  users,
  permissions,
  roles,
  menus,
  apiKeys,
  operations,
  syslog,
  organizations,
  operators,
  regions,
  equipTypes,
  hwVersions,
  boards,
  firmware,
  dictionary,
  devices,
  deviceVersions,
  readings,
  batteries,
  mappings,
  intake,
  alarms,
  notifications,
  events,
  overview,
  reports,
  approvals,
  actions,
  advertisements,
  upgrades,
  ddi,
  parameterBatches,
  logExtraction,
  handover,
  deviceTimeline,
  search,
  tasks,
  live,
  feed,
  serverStatus,
  backups,
  site,
]

/** What every installation starts with, in the order of planting. */
export const seeds = orderSeeds(features.flatMap((feature) => feature.seeds))
