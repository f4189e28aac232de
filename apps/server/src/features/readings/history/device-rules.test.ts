import type pg from 'pg'
import { expect, test } from 'vitest'
import { createDeviceRules } from './device-rules.ts'
import { firstNamedId } from './reading-ids.ts'
import { ordinaryRule } from './thinning.ts'

const deviceId = 3
const unkept = { ...ordinaryRule, isKept: false, longestMs: 60_000 }
const pool = { query: async () => ({ rows: [{ id: deviceId, equipTypeId: 5 }] }) } as unknown as pg.Pool

test('a name that was not met when its rule was asked for has that rule once it is met', async () => {
  const names = new Map<number, string>()
  const rules = createDeviceRules({
    pool,
    rulesFor: () => (key) => (key === 'secret' ? unkept : ordinaryRule),
    rulesKnown: async () => undefined,
    nameOf: (id) => names.get(id),
  })
  const intake = (await rules.ofDevices(new Set([deviceId])))(deviceId)
  expect(intake(firstNamedId)).toEqual(ordinaryRule)
  names.set(firstNamedId, 'secret')
  expect(intake(firstNamedId)).toEqual(unkept)
})

test('a curve has the rule of its key, whether its name was met or not, as soon as rules are known', async () => {
  let areKnown = false
  const rules = createDeviceRules({
    pool,
    rulesFor: () => (areKnown ? () => unkept : () => ordinaryRule),
    rulesKnown: async () => {
      areKnown = true
    },
    nameOf: () => undefined,
  })
  expect((await rules.byKeyOf(deviceId))('secret')).toEqual(unkept)
})
