// What a device can be told, by the version of its model's mapping that is on.
import { abilities } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice, insertModel } from '../../../test/factories.ts'
import { insertMapping, insertVersion, setModels, switchOn } from './mappings.queries.ts'
import { createSpokenProtocols } from './spoken-protocols.ts'

const { db, pool } = await databaseOfTests({ isSeeded: true })
const form = { topic: 'acme/{code}/up', format: 'json' as const, rules: [] }
const restart = {
  command: 'action' as const,
  when: 'msg.action == "restart"',
  topic: 'acme/{code}/down',
  fields: {},
  payload: {},
}
const by = { note: null, createdByName: 'admin' }

test('abilities follow the version that is on, which is compiled once', async () => {
  const modelId = await insertModel(db)
  const { id: deviceId } = await insertDevice(db, { modelId })
  const { spokenBy } = createSpokenProtocols({ isShared: false })
  expect(await spokenBy(db, deviceId)).toEqual({ name: '标准协议', lacks: [], isObserved: false })
  const draft = { ...form, commands: [] }
  const values = { name: '艾克米', draft, isEnabled: true, updatedByName: 'admin' }
  const id = Number(await db.transaction().execute((trx) => insertMapping(trx, values)))
  await db.transaction().execute((trx) => setModels(trx, id, [modelId]))
  expect(await spokenBy(db, deviceId)).toEqual({ name: '艾克米', lacks: abilities, isObserved: false })
  await db.transaction().execute((trx) => insertVersion(trx, id, { document: draft, ...by }))
  expect((await spokenBy(db, deviceId)).lacks).toContain('restart')
  const document = { ...form, commands: [restart] }
  await db.transaction().execute((trx) => insertVersion(trx, id, { document, ...by }))
  expect((await spokenBy(db, deviceId)).lacks).not.toContain('restart')
  // No version ever changes: what one can say is not asked for again.
  await pool.query('UPDATE mapping_version SET document = $1 WHERE no = 2', [draft])
  expect((await spokenBy(db, deviceId)).lacks).not.toContain('restart')
  expect((await createSpokenProtocols({ isShared: false }).spokenBy(db, deviceId)).lacks).toContain('restart')
  await db.transaction().execute((trx) => switchOn(trx, id, 1))
  expect((await spokenBy(db, deviceId)).lacks).toContain('restart')
})

test('at an external broker a command whose topic names no device is an ability that its devices lack', async () => {
  const modelId = await insertModel(db)
  const { id: deviceId } = await insertDevice(db, { modelId })
  const upgrade = { ...restart, command: 'upgrade' as const, when: undefined }
  const commands = [
    { ...restart, topic: 'acme/down' },
    { ...upgrade, topic: 'acme/{code}/down' },
  ]
  const document = { ...form, commands }
  const values = { name: '无名主题', draft: document, isEnabled: true, updatedByName: 'admin' }
  const id = Number(await db.transaction().execute((trx) => insertMapping(trx, values)))
  await db.transaction().execute((trx) => setModels(trx, id, [modelId]))
  await db.transaction().execute((trx) => insertVersion(trx, id, { document, ...by }))
  const external = createSpokenProtocols({ isShared: true })
  const { lacks } = await external.spokenBy(db, deviceId)
  expect([lacks.includes('restart'), lacks.includes('upgrade')]).toEqual([true, false])
  await expect(external.requireAbility(db, deviceId, 'restart')).rejects.toMatchObject({
    refusal: 'protocolLacks',
  })
  const embedded = createSpokenProtocols({ isShared: false })
  expect((await embedded.spokenBy(db, deviceId)).lacks).not.toContain('restart')
})
