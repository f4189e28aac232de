import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { cancelUpgradeTask } from '@voltkeep/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { type Image, insertPolled, uploadImage } from './ddi-agent.ts'
import type { TestDevice } from './factories.ts'
import { createSwupdate, type SwupdateDevice, skipsSwupdate } from './swupdate.ts'
import { type Fleet, hurry, startTask, targetsBecome, targetsOf, taskBecomes } from './upgrades.ts'

// Debian's swupdate, unchanged, against the server.

describe.skipIf(skipsSwupdate)('swupdate', () => {
  let app: TestApp
  let token: string
  const running: SwupdateDevice[] = []
  beforeAll(async () => {
    app = await createTestApp({ DDI_POLL_SECONDS: '1' })
    token = await app.asAdmin()
  })
  afterAll(() => app.close())
  afterEach(async () => {
    for (const device of running.splice(0)) await device.remove()
  })
  const patience = { timeout: 60_000, interval: 200 }

  interface World {
    fleet: Fleet
    device: TestDevice
    agent: SwupdateDevice
    image: Image
  }
  /** A device that has told its version, with an image for it. `url`: how the agent reaches the server. */
  async function world(options?: Parameters<SwupdateDevice['image']>[1], url = app.url): Promise<World> {
    const fleet = await insertPolled(app, 1, { versions: {} })
    const [device] = fleet.devices as [TestDevice]
    const agent = createSwupdate({ url, ...device, version: '1.3' })
    running.push(agent)
    const image = await uploadImage(app, token, fleet, agent.image('1.4', options), { extension: 'swu' })
    await agent.start()
    await versionBecomes(device, '1.3')
    return { fleet, device, agent, image }
  }
  const versionBecomes = ({ id }: TestDevice, version: string) =>
    expect
      .poll(
        () =>
          app.db
            .selectFrom('device_version')
            .select('version')
            .where('device_id', '=', id)
            .executeTakeFirst(),
        patience,
      )
      .toEqual({ version })
  const start = ({ fleet, image }: World, rule: object = {}) =>
    startTask(app, token, fleet, [{ id: image.id }], { skipGate: true, ...rule })

  test('polls, downloads, installs and reports, and the task counts it', async () => {
    const it = await world()
    const { device, agent } = it
    const taskId = await start(it)
    await agent.says('SWUPDATE successful')
    expect(agent.version).toBe('1.4')
    await agent.kill()
    await agent.start('works')
    await targetsBecome(app, token, taskId, { [device.code]: 'succeeded' })
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 1 } })
  })

  test('tells why an image cannot be installed, and tries again when the task does', async () => {
    const it = await world({ isBroken: true })
    const { device, agent } = it
    const taskId = await start(it, { attempts: 2, intervalMinutes: 1 })
    const reason = async () => (await targetsOf(app, token, taskId))[0]?.reason
    await expect.poll(reason, patience).toBe('No suitable .swu image found')
    await hurry(app.db, 1)
    await targetsBecome(app, token, taskId, { [device.code]: 'failed' })
    expect(agent.version).toBe('1.3')
  })

  test('reports software that does not work after the restart', async () => {
    const it = await world()
    const { device, agent } = it
    const taskId = await start(it, { attempts: 1 })
    await agent.says('SWUPDATE successful')
    await agent.kill()
    await agent.start('fails')
    await targetsBecome(app, token, taskId, { [device.code]: 'failed' })
  })

  test('resumes a download where the line was cut', async () => {
    const line = await cutLine(new URL(app.url).port, sizeBytes / 2)
    const it = await world({ sizeBytes }, line.url)
    const { device, agent } = it
    const taskId = await start(it)
    await agent.says('SWUPDATE successful')
    expect(line.ranges.some((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]) > 0)).toBe(true)
    await agent.kill()
    await agent.start('works')
    await targetsBecome(app, token, taskId, { [device.code]: 'succeeded' })
    line.close()
  })

  test('is stopped after its device went down in a download, when the task is cancelled', async () => {
    const line = await cutLine(new URL(app.url).port, sizeBytes / 2, { isForGood: true })
    const it = await world({ sizeBytes }, line.url)
    const { device, agent } = it
    const taskId = await start(it)
    await targetsBecome(app, token, taskId, { [device.code]: 'downloading' })
    await line.isCut
    await agent.kill()
    line.mend()
    expect(await app.call(cancelUpgradeTask, { id: taskId }, token)).toMatchObject({ code: 200 })
    await agent.start()
    const outcome = () =>
      app.db.selectFrom('ddi_action').select('outcome').where('device_id', '=', device.id).execute()
    await expect.poll(outcome, patience).toEqual([{ outcome: 'canceled' }])
    await targetsBecome(app, token, taskId, { [device.code]: 'cancelled' })
    expect(agent.version).toBe('1.3')
    line.close()
  })

  test('whose device went down in a download begins again by itself', async () => {
    const line = await cutLine(new URL(app.url).port, sizeBytes / 2, { isForGood: true })
    const it = await world({ sizeBytes }, line.url)
    const { device, agent } = it
    const taskId = await start(it)
    await line.isCut
    await agent.kill()
    line.mend()
    await agent.start()
    await agent.says('SWUPDATE successful')
    await agent.kill()
    await agent.start('works')
    await targetsBecome(app, token, taskId, { [device.code]: 'succeeded' })
    line.close()
  })
})

const sizeBytes = 4_000_000

/**
 * A line to the server that breaks once when so many bytes have come over a connection. `isForGood`: it carries nothing
 * from then on, until it is mended.
 */
async function cutLine(port: string, afterBytes: number, { isForGood = false } = {}) {
  const sockets = new Set<Socket>()
  const ranges: string[] = []
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>()
  let state: 'whole' | 'broken' | 'mended' = 'whole'
  const server = createServer((near) => {
    if (state === 'broken') {
      near.destroy()
      return
    }
    const far = connect(Number(port), '127.0.0.1')
    let bytes = 0
    near.on('data', (piece) => {
      const [, range] = /^range: (.*)$/im.exec(piece.toString('latin1')) ?? []
      if (range !== undefined) ranges.push(range.trim())
      far.write(piece)
    })
    far.on('data', (piece) => {
      bytes += piece.length
      if (state === 'whole' && bytes > afterBytes) {
        state = isForGood ? 'broken' : 'mended'
        for (const socket of isForGood ? sockets : [near, far]) socket.destroy()
        cut()
        return
      }
      if (!near.write(piece)) {
        far.pause()
        near.once('drain', () => far.resume())
      }
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.end()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The ranges that were asked for. */
    ranges,
    isCut,
    mend() {
      state = 'mended'
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
