import {
  type Endpoint,
  functionCodesOf,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listDeviceVersions,
  listEvents,
  listIntakeRefusals,
  listOperations,
  listSessions,
  listUsers,
  searchOperators,
} from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { endpoints } from './endpoints.ts'
import { testPassword } from './factories.ts'
import { makeWorld, type World, type WorldDevice, type WorldUser } from './scope-world.ts'

const seed = Number(process.env.SCOPE_SEED ?? 20261121)
const caseCount = Number(process.env.SCOPE_CASES ?? 10_000)
/** Concurrent calls of different users, so that one user's data could leak into another's answer. */
const atOnce = 12

let app: TestApp
let world: World
let tokens: Map<number, string>
beforeAll(async () => {
  app = await createTestApp()
  const functionCodes = new Set(endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint)))
  world = await makeWorld(app.db, { seed, devices: 160, users: 150, functionCodes: [...functionCodes] })
  tokens = new Map()
  for (const { id, loginName } of world.users) tokens.set(id, await app.signIn(loginName, testPassword))
}, 120_000)
afterAll(() => app.close())

/** The input of a filter, and whether a device matches it. */
interface Narrowing {
  input: Record<string, string>
  passes(device: WorldDevice): boolean
}

/** One or two of the filters that all lists of devices, alarms and events share; half of the calls have none. */
function randomNarrowing(): Narrowing {
  const all: (() => Narrowing)[] = [
    () => {
      const { id } = world.oneOf(world.operators)
      return { input: { operatorId: String(id) }, passes: (device) => device.operatorId === id }
    },
    () => {
      const { id } = world.oneOf(world.organizations)
      const under = world.organizationsUnder(id)
      const operators = new Set(
        world.operators.filter(({ organizationId }) => under.has(organizationId)).map((one) => one.id),
      )
      return { input: { organizationId: String(id) }, passes: (device) => operators.has(device.operatorId) }
    },
    () => {
      const id = world.oneOf(world.equipTypeIds)
      const models = new Set(
        world.models.filter(({ equipTypeId }) => equipTypeId === id).map((one) => one.id),
      )
      return { input: { equipTypeId: String(id) }, passes: (device) => models.has(device.modelId) }
    },
    () => {
      const { code } = world.oneOf(world.regions)
      const under = world.regionsUnder(code)
      return { input: { regionCode: code }, passes: (device) => under.has(device.regionId) }
    },
    () => {
      const { code } = world.oneOf(world.devices)
      return { input: { code }, passes: (device) => device.code === code }
    },
  ]
  const chosen = Array.from({ length: Math.max(0, world.below(4) - 1) }, () => world.oneOf(all)())
  return {
    input: Object.assign({}, ...chosen.map(({ input }) => input)),
    // A later filter of the same name replaces the earlier one, as in the input.
    passes: (device) =>
      chosen.every(
        ({ input, passes }, index) =>
          chosen.slice(index + 1).some((later) => Object.keys(later.input)[0] === Object.keys(input)[0]) ||
          passes(device),
      ),
  }
}

type Row = Record<string, unknown>

/** The expected answer: names of the rows as the list shows them, and the same names from the model. */
interface Expectation {
  nameOf(row: Row): string
  expected(user: WorldUser, narrowing: Narrowing): string[]
  isNarrowed: boolean
}

const ofDevices: Expectation = {
  nameOf: (row) => String(row.code),
  expected: (user, narrowing) =>
    world.devices
      .filter((device) => world.sees(user, device) && narrowing.passes(device))
      .map(({ code }) => code),
  isNarrowed: true,
}
const ownTree = (user: WorldUser) => (user.isSystem ? null : world.organizationsUnder(user.organizationId))
const ofUsers: Expectation = {
  nameOf: (row) => String(row.loginName),
  expected: (user) => {
    const tree = ownTree(user)
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

const lists = new Map<Endpoint, Expectation>([
  [listDevices, ofDevices],
  [listDeviceVersions, ofDevices],
  [listAlarms, ofDevices],
  [listAlarmHistory, ofDevices],
  [listEvents, ofDevices],
  [listIntakeRefusals, { ...ofDevices, isNarrowed: false }],
  [listUsers, ofUsers],
  // Each user has only signed in: one entry each.
  [
    listOperations,
    {
      ...ofUsers,
      expected: (user) =>
        world.users.filter((other) => world.seesEntriesOf(user, other)).map(({ loginName }) => loginName),
    },
  ],
  // Only users who have signed in; the first administrator has not.
  [
    listSessions,
    {
      ...ofUsers,
      expected: (user, narrowing) => ofUsers.expected(user, narrowing).filter((name) => name !== 'admin'),
    },
  ],
  [
    searchOperators,
    {
      nameOf: (row) => String(row.id),
      expected(user) {
        const tree = ownTree(user)
        const granted = user.authorities.filter(([type]) => type === 'O').map(([, value]) => value)
        return world.operators
          .filter(({ organizationId }) => !tree || tree.has(organizationId))
          .filter(({ id }) => user.isSystem || granted.length === 0 || granted.includes(String(id)))
          .map(({ id }) => String(id))
      },
      isNarrowed: false,
    },
  ],
])

/** Paged lists without devices and users, with the reason. */
const unscoped: Record<string, string> = {
  listAdvertisements:
    'of organizations and not of devices; its own tests count its cabinets in a narrower scope',
  listDeliveries: 'of one advertisement each; its own tests list them in a narrower scope',
  listDevicesByBoard: 'the list of device versions, narrowed to those with a board',
  listDevicesByPartType: 'the list of device versions, narrowed to those that report a part',
  listDictionary: 'the dictionary is the same for everyone',
  listReleases: 'what was released is the same for everyone',
  listUpgradeTasks: 'tasks belong to organizations; their own tests count devices in a narrower scope',
  listUpgradeTargets: 'of one task each; its own tests list them in a narrower scope',
  listUpgradeTransitions: 'of one task or target each; its own tests read them in a narrower scope',
  listLogExtractions: 'its own tests list it in a narrower scope',
  listUpgradeLog: 'its own tests list it in a narrower scope',
  listParameterBatches: 'batches belong to organizations; their own tests count devices in a narrower scope',
  listBatchDevices: 'of one batch each; its own tests list them in a narrower scope',
  listBatchLog: 'of one batch each; its own tests list it in a narrower scope',
  listHwVersions: 'hardware versions belong to models, which everyone may see',
  listBoards: 'boards belong to models, which everyone may see',
  listFirmware: 'packages belong to boards, which everyone may see',
  listSoftwareVersions: 'packages belong to boards, which everyone may see',
  listAutoUpgradeVersions: 'packages belong to boards, which everyone may see',
  searchRoles: 'roles are the same for everyone; what may be done with them is another test',
}

test('every paged list of the contract is compared with the model', () => {
  const paged = endpoints.filter(({ endpoint }) => endpoint.reply.kind === 'page')
  const missing = paged.filter(({ name, endpoint }) => !lists.has(endpoint) && !(name in unscoped))
  expect(missing.map(({ name }) => name)).toEqual([])
})

// proves: rule data permissions
test(`${caseCount} random calls, concurrent with other users' calls, find what the model says`, {
  timeout: 600_000,
}, async () => {
  const kinds = [...lists.entries()]
  const differences: unknown[] = []
  const isEmpty = { yes: 0, no: 0 }
  let next = 0
  const work = async () => {
    while (next < caseCount && differences.length < 5) {
      const [endpoint, { nameOf, expected, isNarrowed }] = kinds[
        next % kinds.length
      ] as (typeof kinds)[number]
      next += 1
      const user = world.oneOf(world.users)
      const narrowing =
        isNarrowed && endpoint !== listIntakeRefusals ? randomNarrowing() : { input: {}, passes: () => true }
      const answer = await app.call(endpoint, { ...narrowing.input, pageSize: 500 }, tokens.get(user.id))
      const found = ((answer.data ?? []) as Row[]).map(nameOf).sort()
      const wanted = expected(user, narrowing).sort()
      isEmpty[wanted.length === 0 ? 'yes' : 'no'] += 1
      // The seeds include an operator that the model does not have.
      const ours =
        endpoint === searchOperators
          ? found.filter((id) => world.operators.some((one) => String(one.id) === id))
          : found
      const isTotalRight = endpoint === searchOperators || answer.total === wanted.length
      if (answer.code !== 200 || ours.join() !== wanted.join() || !isTotalRight) {
        differences.push({
          seed,
          path: endpoint.path,
          user,
          input: narrowing.input,
          code: answer.code,
          total: answer.total,
          found: ours.length,
          wanted: wanted.length,
        })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(differences).toEqual([])
  expect(next).toBeGreaterThanOrEqual(caseCount)
  // A world in which nobody sees anything would match any answer.
  expect(isEmpty.no).toBeGreaterThan(caseCount / 4)
})
