import { type ImportReport, importDevices } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { insertUser } from './factories.ts'
import { hostileSheets } from './hostile-sheets.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

let database: TestDatabase
let server: ServerProcess
let tokens: string[]

beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  server = await startServerProcess({
    environment: { LOG_LEVEL: 'warn', DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
    // The heap of a small machine: one of the sheets below used to take four times as much.
    nodeFlags: ['--max-old-space-size=512'],
  })
  tokens = []
  for (let n = 0; n < 3; n += 1) {
    const { loginName, password } = await insertUser(database.db, { functionCodes: ['equip:import'] })
    tokens.push(await server.client.signIn(loginName, password))
  }
})
afterAll(async () => {
  await server?.remove()
  await database?.close()
})

async function upload(bytes: Uint8Array, token: string) {
  const form = new FormData()
  form.append('dryRun', '1')
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), '设备.xlsx')
  const response = await fetch(`${server.url}/api${importDevices.path}`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  })
  return { status: response.status, ...((await response.json()) as { message: string; data: ImportReport }) }
}

test('sheets that unpack to hundreds of times their size, sent by three users at once, are refused, and the server survives', async () => {
  const { pid } = server
  const worst = hostileSheets.filter(({ name }) =>
    /64 MB of <a>|tag name|many elements|attributes/.test(name),
  )
  expect(worst).toHaveLength(4)
  for (const { make, message } of worst) {
    const bytes = await make()
    const answers = await Promise.all(tokens.map((token) => upload(bytes, token)))
    for (const answer of answers) {
      expect([400, 429]).toContain(answer.status)
      expect(answer.message).toMatch(answer.status === 400 ? message : /^正在进行的导入过多，请稍后再试$/)
    }
    expect(answers.map(({ status }) => status)).toContain(400)
    // Other requests are served meanwhile and afterwards.
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  }
  expect(server.pid).toBe(pid)
  expect((await upload(Buffer.from('编号\n1'), tokens[0] as string)).message).toMatch(/^缺少列/)
})

test('a user may run one import at a time', async () => {
  const many = hostileSheets.find(({ name }) => name === 'many elements')
  const bytes = (await many?.make()) ?? Buffer.alloc(0)
  const [token = ''] = tokens
  const answers = await Promise.all([upload(bytes, token), upload(bytes, token), upload(bytes, token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([400, 429, 429])
  expect(answers.map(({ message }) => message)).toContain('您有一个导入正在进行，请等待完成后再试')
})
