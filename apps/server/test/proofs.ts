// The proofs of every noun, by the name of its feature. `node scripts/proofs.mjs` says which are missing.
import type { NounProofs } from './noun-proofs.ts'
import { advertisements } from './proofs/advertisements.ts'
import { alarms } from './proofs/alarms.ts'
import { boards } from './proofs/boards.ts'
import { deviceTimeline } from './proofs/device-timeline.ts'
import { deviceVersions } from './proofs/device-versions.ts'
import { devices } from './proofs/devices.ts'
import { dictionary } from './proofs/dictionary.ts'
import { equipTypes } from './proofs/equip-types.ts'
import { events } from './proofs/events.ts'
import { firmware } from './proofs/firmware.ts'
import { hwVersions } from './proofs/hw-versions.ts'
import { intake } from './proofs/intake.ts'
import { live } from './proofs/live.ts'
import { logExtraction } from './proofs/log-extraction.ts'
import { menus } from './proofs/menus.ts'
import { operations } from './proofs/operations.ts'
import { operators } from './proofs/operators.ts'
import { organizations } from './proofs/organizations.ts'
import { overview } from './proofs/overview.ts'
import { parameterBatches } from './proofs/parameter-batches.ts'
import { permissions } from './proofs/permissions.ts'
import { platform } from './proofs/platform.ts'
import { preferences } from './proofs/preferences.ts'
import { regions } from './proofs/regions.ts'
import { roles } from './proofs/roles.ts'
import { savedFilters } from './proofs/saved-filters.ts'
import { search } from './proofs/search.ts'
import { serverStatus } from './proofs/server-status.ts'
import { sessions } from './proofs/sessions.ts'
import { site } from './proofs/site.ts'
import { tasks } from './proofs/tasks.ts'
import { upgrades } from './proofs/upgrades.ts'
import { users } from './proofs/users.ts'

/** In the order of features.ts; `platform` has the calls that no feature has. */
export const nouns: Readonly<Record<string, NounProofs>> = {
  preferences,
  'saved-filters': savedFilters,
  sessions,
  users,
  permissions,
  roles,
  menus,
  operations,
  organizations,
  operators,
  regions,
  'equip-types': equipTypes,
  'hw-versions': hwVersions,
  boards,
  firmware,
  dictionary,
  devices,
  'device-versions': deviceVersions,
  intake,
  alarms,
  events,
  overview,
  advertisements,
  upgrades,
  'parameter-batches': parameterBatches,
  'log-extraction': logExtraction,
  'device-timeline': deviceTimeline,
  search,
  tasks,
  live,
  'server-status': serverStatus,
  site,
  platform,
}

type Kind = keyof NounProofs

/** What all nouns say of a kind, by name. */
function everyNouns<K extends Exclude<Kind, 'screens'>>(kind: K): Required<NounProofs>[K] {
  return Object.assign({}, ...Object.values(nouns).map((noun) => noun[kind]))
}

export const references = everyNouns('references')
export const scopes = everyNouns('scope')
export const versions = everyNouns('versions')
export const forms = everyNouns('forms')
export const additions = everyNouns('additions')
export const screens = Object.values(nouns).flatMap((noun) => noun.screens ?? [])
