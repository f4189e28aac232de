// What a list shows to a user according to the model of the access rules, and the two models that several lists share.
import type { World, WorldDevice, WorldUser } from './scope-world.ts'

/** The input of a filter, and whether a device matches it. */
export interface Narrowing {
  input: Record<string, string>
  passes(device: WorldDevice): boolean
}

/** The expected answer: names of the rows as the list shows them, and the same names from the model. */
export interface ScopeModel {
  nameOf(row: Record<string, unknown>): string
  expected(world: World, user: WorldUser, narrowing: Narrowing): string[]
  /** Whether it has the filters that lists of devices, alarms and events share. */
  isNarrowed: boolean
  /** Where the seeds have rows that the model does not: whether this is a row of the model. */
  isKnown?(world: World, name: string): boolean
}

/** A paged list in the tests of data permissions. */
export interface PageScope {
  /** Or why there is none. */
  model: ScopeModel | string
  /** Shows rows, or a refusal, to a user whose organization has no devices. */
  isFoundAnyway?: true
  /** The input without which it is refused. */
  asked?: Readonly<Record<string, string>>
}

export const ofDevices: ScopeModel = {
  nameOf: (row) => String(row.code),
  expected: (world, user, narrowing) =>
    world.devices
      .filter((device) => world.sees(user, device) && narrowing.passes(device))
      .map(({ code }) => code),
  isNarrowed: true,
}

/** The organizations that a user sees; null for all. */
export const ownTree = (world: World, user: WorldUser) =>
  user.isSystem ? null : world.organizationsUnder(user.organizationId)

export const ofUsers: ScopeModel = {
  nameOf: (row) => String(row.loginName),
  expected: (world, user) => {
    const tree = ownTree(world, user)
    return [
      ...world.users
        .filter(({ organizationId }) => !tree || tree.has(organizationId))
        .map((one) => one.loginName),
      // The first administrator, in the organization of the seeds.
      ...(tree ? [] : ['admin']),
    ]
  },
  isNarrowed: false,
}
