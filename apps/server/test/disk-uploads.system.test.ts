import { statfsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectFleet } from './fleets.ts'
import { Ledger } from './ledger.ts'
import { canMount, type ServerProcess, startServerProcess } from './server-process.ts'
import { pictureOf, signInUploaders, uploadPicture } from './uploaders.ts'

const megabyte = 1024 ** 2
const diskBytes = 800 * megabyte
const picture = pictureOf(60 * megabyte)

describe.skipIf(!canMount)('uploads that nobody uses, on a small disk', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({
      demoDevices: 1,
      diskBytes,
      environment: { LOG_LEVEL: 'warn', DISK_WARN_PERCENT: '80', DISK_STOP_PERCENT: '95' },
    })
  })
  afterAll(() => server?.remove())

  it('of one user stop at the quota, those of many users before intake does, and devices go on reporting', async () => {
    const [own = '', ...others] = await signInUploaders(server, 8)
    const answers: unknown[] = []
    while (answers.length < 12 && answers.at(-1) !== 'unusedFilesOfUser')
      answers.push(await uploadPicture(server.url, own, picture))
    expect(answers.at(-1)).toBe('unusedFilesOfUser')
    expect(answers.length).toBeLessThanOrEqual(4)

    const outcomes = new Set<unknown>()
    for (const token of others)
      for (let n = 0; n < 3; n += 1) outcomes.add(await uploadPicture(server.url, token, picture))
    expect(outcomes).toContain('filesFull')
    const { bavail, bsize } = statfsSync(server.seenDataDir)
    expect((bavail * bsize) / diskBytes).toBeGreaterThan(0.06)

    const ledger = new Ledger()
    const fleet = await connectFleet(server.devices(), server.mqttPort, { onAcknowledged: ledger.record })
    try {
      await fleet.devices[0]?.report('event', { code: 'E1', value: 1 })
      await fleet.whenDrained()
      expect(ledger.events).toHaveLength(1)
    } finally {
      fleet.cutPower()
    }
    expect(server.output).not.toContain('已停止接收设备报文')
  })
})
