import { createHash } from 'node:crypto'
import {
  cancelUpgradeTask,
  listIntakeRefusals,
  pauseUpgradeTask,
  readDevice,
  rollBackUpgradeTask,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Agent,
  agentOf,
  at,
  failedFor,
  type Image,
  insertPolled,
  succeeded,
  uploadImage,
} from '../../../test/ddi-agent.ts'
import { insertDevice, insertModel, type TestDevice } from '../../../test/factories.ts'
import {
  type Fleet,
  hurry,
  lookNow,
  master,
  startTask,
  targetsBecome,
  targetsOf,
  taskBecomes,
} from '../../../test/upgrades.ts'

const gateway = 'gateway-token-of-the-test-0123456789'
let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp({ DDI_GATEWAY_TOKEN: gateway })
  admin = await app.asAdmin()
})
afterAll(() => app.close())

const bytes = Buffer.alloc(200_000, 'voltkeep')
const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex')
const json = async (answer: Response) => (await answer.json()) as Record<string, never>
const bodyOf = (data: object) => ({
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(data),
})

interface World {
  fleet: Fleet
  image: Image
  device: TestDevice
  agent: Agent
  taskId: string
}

/** A device that has polled, with a task for it. */
async function world(rule: object = { skipGate: true }, count = 1): Promise<World> {
  const fleet = await insertPolled(app, count)
  const image = await uploadImage(app, admin, fleet, bytes)
  const device = fleet.devices[0] as TestDevice
  const agent = agentOf(app, device)
  await agent.poll()
  const taskId = await startTask(app, admin, fleet, [{ id: image.id }], rule)
  return { fleet, image, device, agent, taskId }
}

const resultOf = async (taskId: string) => {
  const [target] = await targetsOf(app, admin, taskId)
  return [target?.result, target?.reason, target?.percent]
}
const becomes = ({ taskId, device }: World, state: string) =>
  targetsBecome(app, admin, taskId, { [device.code]: state })

interface Offered {
  id: string
  deployment: {
    chunks: {
      version: string
      artifacts: {
        filename: string
        size: number
        hashes: object
        _links: Record<string, { href: string }>
      }[]
    }[]
  }
}
const offered = async (agent: Agent, path: string) => (await (await agent.ask(path)).json()) as Offered
const linkOf = ({ deployment }: Offered, name: string) =>
  deployment.chunks[0]?.artifacts[0]?._links[name]?.href as string

describe('a poll', () => {
  test('is answered with the pause, asks for attributes once, and makes the device online', async () => {
    const { devices } = await insertPolled(app, 1)
    const [device] = devices as [TestDevice]
    const agent = agentOf(app, device)
    const answer = await json(await agent.ask(''))
    expect(answer).toMatchObject({ config: { polling: { sleep: '00:05:00' } } })
    expect(await agent.poll()).toEqual({ configData: '/configData' })
    const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
    expect(data).toMatchObject({ isOnline: 1, protocol: 'ddi', connectedFrom: '127.0.0.1' })
    expect((await agent.ask('/configData', bodyOf({ data: { hardware: 'x' } }))).status).toBe(200)
    expect(await agent.poll()).toEqual({})
  })

  test('needs the device’s secret or the gateway’s; ten wrong ones from an address and the right one waits', async () => {
    const { devices } = await insertPolled(app, 2)
    const [device, other] = devices as [TestDevice, TestDevice]
    const byGateway = agentOf(app, device, `GatewayToken ${gateway}`)
    expect((await byGateway.ask('')).status).toBe(200)
    for (const token of [
      '',
      'TargetToken',
      `Bearer ${admin}`,
      `TargetToken ${other.secret}`,
      'GatewayToken x',
    ])
      expect((await agentOf(app, device, token).ask('')).status).toBe(401)
    for (let n = 0; n < 5; n += 1)
      expect((await agentOf(app, device, `TargetToken wrong${n}`).ask('')).status).toBe(401)
    expect((await agentOf(app, device).ask('')).status).toBe(429)
    expect((await agentOf(app, other).ask('')).status).toBe(200)
    const stranger = { code: 'NOBODY1', secret: 'x' }
    expect((await agentOf(app, stranger).ask('')).status).toBe(401)
    const foreignTenant = `${app.url}/OTHER/controller/v1/${other.code}`
    const headers = { authorization: `TargetToken ${other.secret}` }
    expect((await fetch(foreignTenant, { headers })).status).toBe(404)
    const reasonsOf = async (code: string) =>
      (await app.call(listIntakeRefusals, { code }, admin)).data.map(({ reason }) => reason).sort()
    await expect
      .poll(() => reasonsOf(device.code), { timeout: 10_000 })
      .toEqual(
        // Without a secret there is another detail.
        ['tooManySignIns', 'wrongSecret', 'wrongSecret'],
      )
    await expect.poll(() => reasonsOf('NOBODY1'), { timeout: 10_000 }).toEqual(['unknownDevice'])
  })

  test('is for devices that are registered for it', async () => {
    const device = await insertDevice(app.db)
    expect((await agentOf(app, device).ask('')).status).toBe(401)
    const reasons = async () =>
      (await app.call(listIntakeRefusals, { code: device.code }, admin)).data.map(({ reason }) => reason)
    await expect.poll(reasons, { timeout: 10_000 }).toEqual(['wrongProtocol'])
  })

  test('too often is slowed down', async () => {
    const { devices } = await insertPolled(app, 1)
    const agent = agentOf(app, devices[0] as TestDevice)
    const statuses = new Set<number>()
    for (let n = 0; n < 160 && !statuses.has(429); n += 1) statuses.add((await agent.ask('')).status)
    expect([...statuses]).toEqual([200, 429])
  })
})

describe('attributes', () => {
  const versionsOf = async ({ id }: TestDevice) =>
    (await app.call(readDevice, { id: String(id) }, admin)).data.equipSoftwareVersions

  test('give the device its part and its version, by name or as the first of its model', async () => {
    const modelId = await insertModel(app.db)
    await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${modelId}, ${master})
      ON CONFLICT DO NOTHING`.execute(app.db)
    const device = await insertDevice(app.db, { modelId, protocol: 'ddi' })
    const agent = agentOf(app, device)
    expect(
      (await agent.ask('/configData', bodyOf({ id: 7, time: 'x', status: {}, data: { a: 'b' } }))).status,
    ).toBe(200)
    const [assumed] = await versionsOf(device)
    expect(assumed).toMatchObject({ version: '未上报', addrId: '0' })
    const told = { partType: assumed?.partType, version: '1.2', hwVersion: 'B', pcbCode: 'PCB9' }
    expect((await agent.ask('/configData', bodyOf({ mode: 'merge', data: told }))).status).toBe(200)
    expect(await versionsOf(device)).toMatchObject([{ ...told, addrId: '0' }])
    // Without a version in them they leave what stands.
    expect((await agent.ask('/configData', bodyOf({ mode: 'replace', data: {} }))).status).toBe(200)
    expect(await versionsOf(device)).toMatchObject([told])
  })

  test.each([
    ['too many', 400, { data: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'v'])) }],
    ['too long', 400, { data: { k: 'v'.repeat(129) } }],
    ['no object', 400, { data: 'x' }],
    ['too large', 413, { data: { k: 'v'.repeat(70_000) } }],
    ['not storable', 200, { data: { 'a\u0000b': 'c\u0000d' } }],
  ])('that are %s are answered %s', async (_, status, body) => {
    const { devices } = await insertPolled(app, 1)
    expect((await agentOf(app, devices[0] as TestDevice).ask('/configData', bodyOf(body))).status).toBe(
      status,
    )
  })
})

describe('a deployment', () => {
  test('is read, downloaded, told of and counted when the version is reported', async () => {
    const it = await world()
    const { agent, image, device, taskId } = it
    const path = await agent.finds('deploymentBase')
    expect(path).toMatch(/^\/deploymentBase\/[1-9]\d*$/)
    await becomes(it, 'sent')
    const read = await offered(agent, path)
    expect(read).toMatchObject({
      id: path.split('/').at(-1),
      deployment: { download: 'forced', update: 'forced', chunks: [{ part: 'bApp', version: '1.4' }] },
    })
    expect(read.deployment.chunks[0]?.artifacts).toMatchObject([
      {
        filename: image.fileName,
        size: bytes.length,
        hashes: { md5: hash('md5'), sha1: hash('sha1'), sha256: hash('sha256') },
      },
    ])
    // The number stays the same.
    expect((await agent.poll()).deploymentBase).toBe(path)
    expect((await agent.ask(path)).status).toBe(200)

    expect(await agent.feedback(path, at('proceeding'))).toBe(200)
    await becomes(it, 'downloading')
    // Without a token: the address is signed.
    const file = linkOf(read, 'download-http')
    const part = await fetch(file, { headers: { range: 'bytes=100000-' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 100000-199999/200000`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100_000))).toBe(true)
    expect((await fetch(file, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416)
    expect(await (await fetch(linkOf(read, 'md5sum'))).text()).toBe(`${hash('md5')}  ${image.fileName}`)
    await expect.poll(() => resultOf(taskId), { timeout: 10_000 }).toEqual(['downloading', null, 100])

    expect(await agent.feedback(path, at('proceeding', { cnt: 1, of: 4 }))).toBe(200)
    expect(await resultOf(taskId)).toEqual(['installing', null, 25])
    // Another agent's word does not go backwards.
    expect(await agent.feedback(path, at('download'))).toBe(200)
    expect(await resultOf(taskId)).toEqual(['installing', null, 25])

    const told = { partType: master, version: '1.3' }
    expect((await agent.ask('/configData', bodyOf({ data: told }))).status).toBe(200)
    expect(await agent.feedback(path, succeeded)).toBe(200)
    expect(await agent.feedback(path, succeeded)).toBe(200)
    expect(await agent.feedback(path, failedFor('x'))).toBe(410)
    expect(await resultOf(taskId)).toEqual(['installing', null, 100])
    const links = await agent.poll()
    expect(links).toEqual({
      configData: '/configData',
      installedBase: path.replace('deployment', 'installed'),
    })
    expect(await offered(agent, links.installedBase as string)).toMatchObject({ id: read.id })
    expect((await agent.ask(path)).status).toBe(404)
    expect((await fetch(file)).status).toBe(404)
    expect((await agent.ask('/configData', bodyOf({ data: { version: '1.4' } }))).status).toBe(200)
    await becomes(it, 'succeeded')
    await taskBecomes(app, admin, taskId, { state: 'finished', counts: { succeeded: 1 } })
    expect(device.code).toMatch(/^EC/)
  })

  test('of an agent whose attributes tell no version is counted by its word', async () => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    await offered(it.agent, path)
    expect(await it.agent.feedback(path, { execution: 'closed', result: null })).toBe(200)
    await becomes(it, 'succeeded')
  })

  test('that fails is tried again under another number, and the old one is told of no more', async () => {
    const it = await world({ skipGate: true, attempts: 2, intervalMinutes: 1 })
    const { agent, taskId } = it
    const first = await agent.finds('deploymentBase')
    await offered(agent, first)
    expect(await agent.feedback(first, failedFor('unpacking', 'no space left\n'))).toBe(200)
    expect(await agent.feedback(first, failedFor('unpacking', 'no space left\n'))).toBe(200)
    await expect.poll(() => resultOf(taskId)).toEqual(['waiting', 'no space left', null])
    expect(await agent.poll()).toEqual({ configData: '/configData' })
    await hurry(app.db, 1)
    const second = await agent.finds('deploymentBase')
    expect(second).not.toBe(first)
    expect(await agent.feedback(first, at('proceeding'))).toBe(410)
    expect(await agent.feedback(second, at('proceeding'))).toBe(404)
    await offered(agent, second)
    expect(await agent.feedback(second, { execution: 'canceled' })).toBe(200)
    await becomes(it, 'failed')
    expect(await resultOf(taskId)).toEqual(['failed', '设备取消了升级', null])
  })

  test('of a silent agent is given up, and the agent is told to stop before it gets the next one', async () => {
    const it = await world({ skipGate: true, attempts: 2, intervalMinutes: 1 })
    const { agent } = it
    const first = await agent.finds('deploymentBase')
    const { id } = await offered(agent, first)
    expect(await agent.feedback(first, at('proceeding'))).toBe(200)
    await hurry(app.db, 0)
    await becomes(it, 'waiting')
    // It may be at work after all, until the next attempt.
    expect((await agent.poll()).deploymentBase).toBe(first)
    await hurry(app.db, 1)
    const cancel = await agent.finds('cancelAction')
    expect((await agent.poll()).deploymentBase).toBeUndefined()
    expect(await json(await agent.ask(cancel))).toEqual({ id, cancelAction: { stopId: id } })
    expect((await agent.ask(first)).status).toBe(404)
    // What the old attempt says moves the new one no more.
    expect(await agent.feedback(first, at('proceeding'))).toBe(200)
    await becomes(it, 'sent')
    expect(await agent.feedback(cancel, at('proceeding'))).toBe(200)
    expect(await agent.feedback(cancel, succeeded)).toBe(200)
    expect(await agent.feedback(cancel, succeeded)).toBe(200)
    expect(await agent.feedback(cancel, { execution: 'rejected' })).toBe(410)
    const second = await agent.finds('deploymentBase')
    expect(second).not.toBe(first)
    expect((await agent.poll()).cancelAction).toBeUndefined()
  })

  test('of a cancelled task is stopped; an agent that refuses to goes on and changes nothing', async () => {
    const it = await world({ skipGate: true }, 2)
    const agents = it.fleet.devices.map((device) => agentOf(app, device))
    const paths: string[] = []
    for (const agent of agents) {
      const path = await agent.finds('deploymentBase')
      await offered(agent, path)
      expect(await agent.feedback(path.replace('deploymentBase', 'cancelAction'), succeeded)).toBe(405)
      paths.push(path)
    }
    expect(await app.call(cancelUpgradeTask, { id: it.taskId }, admin)).toMatchObject({ code: 200 })
    const [obeys, refuses] = agents as [Agent, Agent]
    const stopped = await obeys.finds('cancelAction')
    expect(await obeys.feedback(stopped, succeeded)).toBe(200)
    expect(await obeys.poll()).toEqual({ configData: '/configData' })
    expect(await obeys.feedback(paths[0] as string, succeeded)).toBe(410)
    const refused = await refuses.finds('cancelAction')
    expect(await refuses.feedback(refused, { execution: 'rejected' })).toBe(200)
    expect(await refuses.poll()).toEqual({ configData: '/configData' })
    expect(await refuses.feedback(paths[1] as string, at('proceeding'))).toBe(200)
    expect(await refuses.feedback(paths[1] as string, succeeded)).toBe(200)
    expect(new Set((await targetsOf(app, admin, it.taskId)).map(({ result }) => result))).toEqual(
      new Set(['cancelled']),
    )
  })

  test('that nobody has read is taken back by a pause, and offered again when the task goes on', async () => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    expect(await app.call(pauseUpgradeTask, { id: it.taskId }, admin)).toMatchObject({ code: 200 })
    await becomes(it, 'waiting')
    expect(await it.agent.poll()).toEqual({ configData: '/configData' })
    expect((await it.agent.ask(path)).status).toBe(404)
  })

  test('goes by stages, and a finished task is rolled back by the same way', async () => {
    const fleet = await insertPolled(app, 2)
    const former = await uploadImage(app, admin, fleet, Buffer.from('former'), { version: '1.3' })
    const image = await uploadImage(app, admin, fleet, bytes, { board: former.board })
    const stages = [
      { count: 1, soakMinutes: 0 },
      { percent: 100, soakMinutes: 0 },
    ]
    const taskId = await startTask(app, admin, fleet, [{ id: image.id }], { stages, skipGate: true })
    const agents = fleet.devices.map((device) => agentOf(app, device))
    const install = async (agent: Agent) => {
      const path = await agent.finds('deploymentBase')
      await offered(agent, path)
      expect(await agent.feedback(path, succeeded)).toBe(200)
    }
    await taskBecomes(app, admin, taskId, { state: 'running', counts: { sent: 1 } })
    const due = await Promise.all(agents.map(async (agent) => 'deploymentBase' in (await agent.poll())))
    expect(due.filter((isDue) => isDue)).toHaveLength(1)
    const first = agents[due.indexOf(true)] as Agent
    const last = agents[due.indexOf(false)] as Agent
    await install(first)
    await lookNow(app.db)
    await install(last)
    await lookNow(app.db)
    await taskBecomes(app, admin, taskId, { state: 'finished', counts: { succeeded: 2 } })
    const back = await app.call(rollBackUpgradeTask, { id: taskId, skipGate: true }, admin)
    expect(back.code).toBe(200)
    const path = await first.finds('deploymentBase')
    expect((await offered(first, path)).deployment.chunks[0]?.version).toBe('1.3')
  })
})

describe('an agent that lies', () => {
  test('is answered 404 for actions that are not its own or do not exist', async () => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    const read = await offered(it.agent, path)
    const id = read.id
    const { devices } = await insertPolled(app, 1)
    const other = agentOf(app, devices[0] as TestDevice)
    for (const action of [id, '2147483647', '2147483648', '0', '-1', '1e3', '99999999999999999999', 'x']) {
      const statuses = await Promise.all([
        other.ask(`/deploymentBase/${action}`).then(({ status }) => status),
        other.ask(`/installedBase/${action}`).then(({ status }) => status),
        other.ask(`/cancelAction/${action}`).then(({ status }) => status),
        other.feedback(`/deploymentBase/${action}`, succeeded),
        other.feedback(`/cancelAction/${action}`, succeeded),
        other.ask(`/softwaremodules/${action}/artifacts`).then(({ status }) => status),
        other.ask(`/softwaremodules/${action}/artifacts/${it.image.fileName}`).then(({ status }) => status),
      ])
      expect(statuses).toEqual(Array(7).fill(404))
    }
    expect(await resultOf(it.taskId)).toEqual(['sent', null, null])
    const reasons = async () =>
      (await app.call(listIntakeRefusals, { code: devices[0]?.code }, admin)).data.map(({ reason }) => reason)
    await expect.poll(reasons, { timeout: 10_000 }).toContain('unknownUpgrade')
  })

  test('gets no file by another’s address, another name or a changed signature', async () => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    const early = await it.agent.ask(`/softwaremodules/${path.split('/').at(-1)}/artifacts`)
    expect(early.status).toBe(404)
    const file = linkOf(await offered(it.agent, path), 'download')
    const { devices } = await insertPolled(app, 1)
    const [other] = devices as [TestDevice]
    const secretOfOther = { headers: { authorization: `TargetToken ${other.secret}` } }
    expect((await fetch(file, secretOfOther)).status).toBe(401)
    expect((await fetch(file.replace(it.device.code, other.code))).status).toBe(404)
    expect((await fetch(file.replace(it.image.fileName, 'x.bin'))).status).toBe(404)
    expect((await fetch(file.replace(/signature=./, 'signature=*'))).status).toBe(404)
    expect((await fetch(file.replace(/expires=\d/, 'expires=9'))).status).toBe(404)
    expect((await fetch(file.replace(/[?].*/, ''))).status).toBe(401)
    expect((await fetch(file)).status).toBe(200)
    const list = await it.agent.ask(`/softwaremodules/${path.split('/').at(-1)}/artifacts`)
    expect(await list.json()).toMatchObject([{ filename: it.image.fileName }])
  })

  test('tells a stranger neither by its answers nor by their end whether there is such a device', async () => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    const file = new URL(linkOf(await offered(it.agent, path), 'download'))
    const answersFor = async (code: string) => {
      const url = `${app.url}${file.pathname.replace(it.device.code, code)}?expires=9999999999&signature=x`
      const answers: [number, unknown][] = []
      for (let n = 0; n < 11; n += 1) {
        const answer = await fetch(url)
        answers.push([answer.status, (await json(answer)).message])
      }
      return answers
    }
    const ofDevice = await answersFor(it.device.code)
    expect(ofDevice.map(([status]) => status)).toEqual([...Array(10).fill(404), 429])
    expect(await answersFor('NOBODY7')).toEqual(ofDevice)
    // Nor does a secret that is guessed.
    const guessed = async (code: string) => {
      const statuses = []
      for (let n = 0; n < 11; n += 1) {
        const { status } = await agentOf(app, { code, secret: `wrong${n}` }).ask('')
        statuses.push(status)
      }
      return statuses
    }
    const [other] = (await insertPolled(app, 1)).devices as [TestDevice]
    expect(await guessed('NOBODY8')).toEqual(await guessed(other.code))
  })

  test.each([
    ['nonsense', { execution: 'exploded' }, 400],
    ['nothing', undefined, 400],
    ['too much', { ...succeeded, details: ['x'.repeat(70_000)] }, 413],
  ])('tells %s and moves nothing', async (_, status, code) => {
    const it = await world()
    const path = await it.agent.finds('deploymentBase')
    await offered(it.agent, path)
    expect(await it.agent.feedback(path, status as object)).toBe(code)
    expect(await resultOf(it.taskId)).toEqual(['sent', null, null])
  })
})
