import { login } from '@voltkeep/contract'
import { afterAll, expect, inject, test } from 'vitest'
import { openPool } from '../src/platform/database/database.ts'
import { eventually } from './eventually.ts'
import { asServer, onServer, withDatabase } from './postgres.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const started: ServerProcess[] = []
afterAll(async () => {
  for (const server of started.toReversed()) await server.remove()
})

test('of processes that are started together those without the owner wait for the tables', async () => {
  const server = inject('postgresUrl')
  const name = `order_${process.pid}`
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE template0`)
  const ownerUrl = withDatabase(server, name)
  const start = async (environment: NodeJS.ProcessEnv) => {
    const one = await startServerProcess({
      environment: { DATABASE_URL: asServer(ownerUrl), ...environment },
    })
    started.push(one)
    return one
  }
  const api = start({ ROLES: 'api' })
  const watching = openPool({ url: server, zone: 'UTC', poolSize: 1 })
  const connected = async (application: string) => {
    const { rowCount } = await watching.query(
      'SELECT FROM pg_stat_activity WHERE datname = $1 AND application_name = $2',
      [name, application],
    )
    return rowCount
  }
  await eventually(async () => expect(await connected('voltkeep-api')).toBeGreaterThan(0))
  await watching.end()
  await start({ ROLES: 'ingest,jobs', DATABASE_OWNER_URL: ownerUrl })
  const { client, adminPassword, output } = await api
  expect(output).toContain('等待设置了 DATABASE_OWNER_URL 的进程')
  expect(output).not.toContain('permission denied')
  const answer = await client.call(login, { loginname: 'admin', password: adminPassword })
  expect(answer.code).toBe(200)
})
