import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { eventually } from '../../../../test/eventually.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { openDatabase } from '../../../platform/database/database.ts'
import { createLog } from '../../../platform/process/log.ts'
import { createThrottleMarks } from './throttle-marks.ts'

let direct: TestDatabase
beforeAll(async () => {
  direct = await createTestDatabase()
})
afterAll(() => direct.close())

test('the throttling of a device is written as soon as the database is available again', async () => {
  const organizationId = await insertOrganization(direct.db, { parentId: null })
  const operatorId = await insertOperator(direct.db, { organizationId })
  const device = await insertDevice(direct.db, { operatorId })
  const line = await lineTo(direct.url)
  const database = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 2 })
  const log = createLog({ level: 'silent' })
  const published: unknown[] = []
  const marks = createThrottleMarks({
    db: database.db,
    log,
    notices: { publish: (_notice, deviceIds) => void published.push(deviceIds) },
  })
  const shown = async () =>
    (
      await direct.db
        .selectFrom('device_state')
        .select('throttle_reason')
        .where('device_id', '=', device.id)
        .executeTakeFirst()
    )?.throttle_reason
  await line.cut()
  marks.mark(device.id, 'refusals')
  await expect(database.ping()).rejects.toThrow()
  expect(await shown()).toBeNull()
  await line.restore()
  await eventually(async () => expect(await shown()).toBe('refusals'))
  // The notice follows the commit that the row was seen by.
  await eventually(async () => expect(published).toEqual([[device.id]]))
  await marks.close()
  await database.close()
  await line.cut()
})
