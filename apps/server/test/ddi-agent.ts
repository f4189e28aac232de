// An update agent that speaks hawkBit's DDI as a test tells it to, and devices that agents speak for.
import { insertFirmware } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { TestApp } from './app.ts'
import type { TestDevice } from './factories.ts'
import { insertBoard, postPackage, remark, type TestBoard, type Uploaded } from './packages.ts'
import { type Fleet, insertFleet } from './upgrades.ts'

export interface Agent {
  /** Any request to the device's own address, by its secret. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The links that a poll is answered with, by name, from the device's own address on. */
  poll(): Promise<Record<string, string>>
  /** Polls until there is this link; its address. */
  finds(link: string): Promise<string>
  feedback(path: string, status: object): Promise<number>
}

export const succeeded = { execution: 'closed', result: { finished: 'success' }, details: ['done'] }
export const failedFor = (...details: string[]) => ({
  execution: 'closed',
  result: { finished: 'failure' },
  details,
})
export const at = (execution: string, progress?: { cnt: number; of: number }) => ({
  execution,
  result: { finished: 'none', ...(progress && { progress }) },
  details: [],
})

/** `token`: the whole header; by default the device's own secret. */
export function agentOf(
  { url }: Pick<TestApp, 'url'>,
  { code, secret }: Pick<TestDevice, 'code' | 'secret'>,
  token = `TargetToken ${secret}`,
): Agent {
  const own = `${url}/DEFAULT/controller/v1/${code}`
  const ask: Agent['ask'] = (path, init = {}) =>
    fetch(`${own}${path}`, { ...init, headers: { authorization: token, ...init.headers } })
  const poll: Agent['poll'] = async () => {
    const answer = await ask('')
    if (answer.status !== 200) throw new Error(`poll: ${answer.status} ${await answer.text()}`)
    const { _links: links } = (await answer.json()) as { _links: Record<string, { href: string }> }
    return Object.fromEntries(Object.entries(links).map(([name, { href }]) => [name, href.slice(own.length)]))
  }
  return {
    ask,
    poll,
    async finds(link) {
      for (const until = Date.now() + 30_000; Date.now() < until; ) {
        const { [link]: path } = await poll()
        if (path !== undefined) return path
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`${code} is never told of ${link}`)
    },
    async feedback(path, status) {
      const { status: answer } = await ask(`${path}/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: '1', time: '20260101T000000', status }),
      })
      return answer
    },
  }
}

/** Devices that agents speak for, which have reported these versions. */
export async function insertPolled(
  app: Pick<TestApp, 'db'>,
  count: number,
  options?: Parameters<typeof insertFleet>[2],
): Promise<Fleet> {
  const fleet = await insertFleet(app.db, count, options)
  const ids = fleet.devices.map(({ id }) => id)
  await sql`UPDATE device SET protocol = 'ddi' WHERE id = ANY(${ids}::int[])`.execute(app.db)
  return fleet
}

export interface Image {
  id: number
  board: TestBoard
  bytes: Buffer
  fileName: string
  uploaded: Uploaded
}

/** A package with these bytes for the fleet, uploaded as a user does it. */
export async function uploadImage(
  app: TestApp,
  token: string,
  { equipTypeId }: Pick<Fleet, 'equipTypeId'>,
  bytes: Buffer,
  { version = '1.4', extension = 'bin', board = null as TestBoard | null } = {},
): Promise<Image> {
  const of = board ?? (await insertBoard(app.db, { equipTypeId, partType: 'PART_TYPE_EC_MASTER' }))
  const fileName = `${of.code}_EC_MASTER_V${version}_R.${extension}`
  const upload = await postPackage(app, token, fileName, { bytes })
  if (upload.code !== 200) throw new Error(upload.message)
  const uploaded = upload.data as Uploaded
  const answer = await app.call(insertFirmware, { ...uploaded, remark, isAutoUpgrade: 0 }, token)
  if (answer.code !== 200) throw new Error(answer.message)
  return { id: Number(answer.data.id), board: of, bytes, fileName, uploaded }
}
