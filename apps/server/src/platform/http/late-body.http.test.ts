import { once } from 'node:events'
import { connect } from 'node:net'
import { insertOrganization as insertOrganizationCall, listOrganizations } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import type { TestUser } from '../../../test/factories.ts'

// A call is let in by its head, and its body may come half a minute later.

const app = await appOfTests()
const admin = await app.asAdmin()
const functionCodes = [insertOrganizationCall.access]

/** Sends the head of a write, has the server let its user in, and returns what sends the rest and reads the answer. */
async function letIn({ token }: TestUser & { token: string }, form: object) {
  const body = JSON.stringify(form)
  const socket = connect(app.ports.httpPort ?? 0, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const asking = async () => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'user_session'::regclass AND NOT granted`.execute(
      app.db,
    )
    return rows[0]?.count
  }
  await app.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE user_session IN ACCESS EXCLUSIVE MODE`.execute(trx)
    const head = [
      `POST /api${insertOrganizationCall.path} HTTP/1.1`,
      'Host: voltkeep',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 1)}`)
    await expect.poll(asking).toBe(1)
  })
  await expect.poll(asking).toBe(0)
  // Whatever asked before this call has its answer.
  await app.call(listOrganizations, {}, admin)
  return async () => {
    socket.write(body.slice(1))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return String(answer)
  }
}

const named = async (name: string) =>
  (await sql`SELECT FROM organization WHERE name = ${name}`.execute(app.db)).rows.length

test.each([
  ['was disabled', (id: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`, '401'],
  ['was signed out', (id: number) => sql`DELETE FROM user_session WHERE user_id = ${id}`, '401'],
  ['has lost the function', (id: number) => sql`DELETE FROM user_role WHERE user_id = ${id}`, '403'],
] as const)('a write whose user %s while its body came in does nothing', async (what, change, status) => {
  const user = await app.asUser({ functionCodes })
  const name = `迟到的组织 ${what}`
  const send = await letIn(user, { parentId: '1', name, code: `LATE${user.id}` })
  await change(user.id).execute(app.db)
  expect(await send()).toContain(`HTTP/1.1 ${status}`)
  expect(await named(name)).toBe(0)
})

test('a write whose user is there still is done', async () => {
  const user = await app.asUser({ functionCodes })
  const name = '按时的组织'
  const send = await letIn(user, { parentId: '1', name, code: `INTIME${user.id}` })
  expect(await send()).toContain('HTTP/1.1 200')
  expect(await named(name)).toBe(1)
})
