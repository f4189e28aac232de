import { actOnDevice } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { endUndecided } from './actions.deciders.ts'

const app = await appOfTests()

test('who asked is looked at until the device answers: a command that was sent may come to wait again', async () => {
  const organizationId = await insertOrganization(app.db)
  const operatorId = await insertOperator(app.db, { organizationId })
  const { rows: models } = await sql<{ id: number }>`
    SELECT id FROM equip_model WHERE code = 'VK-EC12'`.execute(app.db)
  const { id } = await insertDevice(app.db, { modelId: models[0]?.id as number, operatorId })
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${id}`.execute(app.db)
  const user = await app.asUser({ organizationId, functionCodes: ['equip:restart'] })
  const { data } = await app.call(
    actOnDevice,
    { id: String(id), action: 'restart', reason: '无响应' },
    user.token,
  )
  // As a command is written that leaves at the commit.
  await sql`
    UPDATE device_command SET state = 'sent', attempts = 1, sent_at = now() WHERE id = ${data.commandId}`.execute(
    app.db,
  )
  const looked = await endUndecided({
    db: app.db,
    commands: { cancel: () => Promise.reject(new Error('nothing is to be taken back')) },
    tellChanged: () => undefined,
  })
  expect(looked).toBe(1)
})
