import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { openNotices } from '../../../platform/database/notices/notices.ts'
import { createLog } from '../../../platform/process/log.ts'
import { readingCatalogueChanged } from './catalogue.notices.ts'
import { createKnownRules } from './known-rules.ts'

const database = await createTestDatabase({ isSeeded: true })
const notices = await openNotices({ pool: database.pool, log: createLog({ level: 'silent' }) })
afterAll(async () => {
  await notices.close()
  await database.close()
})

const { id: cabinetType } = await database.db
  .selectFrom('equip_type')
  .select('id')
  .where('code', '=', 'EC')
  .executeTakeFirstOrThrow()
const setDeadband = (deadband: number) =>
  database.db
    .updateTable('reading_definition')
    .set({ deadband })
    .where('equip_type_id', '=', cabinetType)
    .where('key', '=', 'compartments.*.soc')
    .execute()

test('the rules of a type are those of the catalogue, for every compartment, and ordinary for what is not in it', async () => {
  const rules = createKnownRules({ db: database.db, notices })
  await setDeadband(2)
  await rules.whenKnown()
  const ruleOf = rules.rulesFor(cabinetType)
  expect(ruleOf('compartments.7.soc')).toEqual({
    isKept: true,
    deadband: 2,
    longestMs: 900_000,
    plausible: { min: 0, max: 100 },
  })
  expect(ruleOf('compartments.7.state')).toMatchObject({ isKept: false })
  expect(ruleOf('柜内温度')).toMatchObject({ plausible: { min: -50, max: 150 } })
  const ordinary = { isKept: true, deadband: 0, longestMs: 900_000, plausible: { min: null, max: null } }
  expect(ruleOf('新读数')).toEqual(ordinary)
  expect(rules.rulesFor(2_000_000_000)('柜内温度')).toEqual(ordinary)
})

test('a change is known to every process that has asked, and those who wait for changes are told', async () => {
  const rules = createKnownRules({ db: database.db, notices })
  let changes = 0
  rules.onChanged(() => {
    changes += 1
  })
  await setDeadband(1)
  notices.publishAtOnce(readingCatalogueChanged, [])
  expect(changes).toBe(0)
  await rules.whenKnown()
  expect(changes).toBeGreaterThan(0)
  const before = changes
  await setDeadband(5)
  notices.publishAtOnce(readingCatalogueChanged, [])
  await expect.poll(() => rules.rulesFor(cabinetType)('compartments.1.soc').deadband).toBe(5)
  await expect.poll(() => changes).toBeGreaterThan(before)
})

test('changes in quick succession end with the newest', async () => {
  const rules = createKnownRules({ db: database.db, notices })
  await rules.whenKnown()
  for (const deadband of [3, 4, 6]) {
    await setDeadband(deadband)
    notices.publishAtOnce(readingCatalogueChanged, [])
  }
  await expect.poll(() => rules.rulesFor(cabinetType)('compartments.1.soc').deadband).toBe(6)
})

test('a database that does not answer is asked again by the next report', async () => {
  const rules = createKnownRules({ db: database.db, notices })
  await database.owner.query('ALTER TABLE reading_definition RENAME TO reading_definition_away')
  await expect(rules.whenKnown()).rejects.toThrow('reading_definition')
  await database.owner.query('ALTER TABLE reading_definition_away RENAME TO reading_definition')
  await rules.whenKnown()
  expect(rules.rulesFor(cabinetType)('compartments.1.soc')).toMatchObject({ plausible: { max: 100 } })
})
