import { functionCodesOf } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { endpoints } from './endpoints.ts'
import { testPassword } from './factories.ts'
import { times } from './long.ts'
import { scopes } from './proofs.ts'
import type { Narrowing } from './scope-models.ts'
import { makeWorld, type World } from './scope-world.ts'

const seed = Number(process.env.SCOPE_SEED ?? 20261121)
/** Each list gets a dozen of them; after a change of the scope, more are worth their time: `LONG=1`. */
const caseCount = times(800, 10_000)
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

const models = endpoints.flatMap(({ name, endpoint }) => {
  const model = scopes[name]?.model
  return typeof model === 'object' ? [{ endpoint, model }] : []
})

test('every paged list of the contract is compared with the model', () => {
  const paged = endpoints.filter(({ endpoint }) => endpoint.reply.kind === 'page')
  const missing = paged.filter(({ name }) => !(name in scopes))
  expect(missing.map(({ name }) => name)).toEqual([])
})

// proves: rule data permissions
test(`${caseCount} random calls, concurrent with other users' calls, find what the model says`, {
  timeout: 600_000,
}, async () => {
  const differences: unknown[] = []
  const isEmpty = { yes: 0, no: 0 }
  let next = 0
  const work = async () => {
    while (next < caseCount && differences.length < 5) {
      const { endpoint, model } = models[next % models.length] as (typeof models)[number]
      next += 1
      const user = world.oneOf(world.users)
      const narrowing = model.isNarrowed ? randomNarrowing() : { input: {}, passes: () => true }
      const answer = await app.call(endpoint, { ...narrowing.input, pageSize: 500 }, tokens.get(user.id))
      const found = ((answer.data ?? []) as Record<string, unknown>[]).map(model.nameOf).sort()
      const wanted = model.expected(world, user, narrowing).sort()
      isEmpty[wanted.length === 0 ? 'yes' : 'no'] += 1
      const ours = model.isKnown ? found.filter((name) => model.isKnown?.(world, name)) : found
      const isTotalRight = model.isKnown !== undefined || answer.total === wanted.length
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
