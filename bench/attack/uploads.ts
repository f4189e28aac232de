import { statfsSync } from 'node:fs'
import { pictureOf, signInUploaders, uploadPicture } from '../../apps/server/test/uploaders.ts'
import { startDevices } from './devices.ts'
import type { AttackPart } from './part.ts'

const megabyte = 1_048_576
const diskBytes = 1_200 * megabyte
const pictureBytes = 90 * megabyte
const beside = 600
const users = 12
const honest = 20

/** Files that nobody uses, on a small disk: of one user, many beside each other, and of many organizations. */
export const uploads: AttackPart = {
  name: 'uploads',
  about: `files of ${pictureBytes / megabyte} MB that nobody uses, on a disk of ${diskBytes / megabyte} MB: of one user, ${beside} beside each other, and of ${users} organizations`,
  server: {
    demoDevices: honest,
    diskBytes,
    environment: { DISK_WARN_PERCENT: '80', DISK_STOP_PERCENT: '95' },
  },
  async attack(ground) {
    const { server } = ground
    const [own = '', ...others] = await signInUploaders(server, users + 1)
    const good = startDevices()
    const tell = (answers: readonly unknown[]) => {
      const counts = Object.entries(Object.groupBy(answers, String)).map(
        ([name, all]) => `${all?.length} × ${name}`,
      )
      console.log(`  answers: ${counts.join(', ')}`)
    }
    const stored = (answers: readonly unknown[]) => answers.filter((answer) => answer === 200).length
    try {
      good.order({ kind: 'honest', port: server.mqttPort, devices: server.devices() })
      const before = await ground.measure('before', { forMs: 5_000 })
      const large = pictureOf(pictureBytes)

      const flood: unknown[] = []
      const small = pictureOf(megabyte)
      const during = await ground.measure('side by side', async () => {
        flood.push(
          ...(await Promise.all(Array.from({ length: beside }, () => uploadPicture(server.url, own, small)))),
        )
      })
      tell(flood)
      ground.atMost("neighbour's calls that failed", during.failed, 0)
      ground.isTrue(
        'some are taken, the others refused',
        stored(flood) > 0 && flood.includes('ownUploadsRunning'),
      )

      const inTurn: unknown[] = []
      await ground.measure('of one user', async () => {
        for (let n = 0; n < 13; n += 1) inTurn.push(await uploadPicture(server.url, own, large))
      })
      tell(inTurn)
      ground.atMost('large files of one user that are taken', stored(inTurn), 3)

      const ofMany: unknown[] = []
      await ground.measure('of many users', async () => {
        for (const token of others)
          for (let n = 0; n < 3; n += 1) ofMany.push(await uploadPicture(server.url, token, large))
      })
      tell(ofMany)
      ground.isTrue('no room is left for files', ofMany.includes('filesFull'))
      const { bavail, bsize } = statfsSync(server.seenDataDir)
      ground.isTrue(
        'the room that intake needs is left',
        bavail * bsize > diskBytes * 0.05,
        `${Math.round((bavail * bsize) / megabyte)} MB free`,
      )
      ground.isTrue('intake has never stopped', !server.output.includes('已停止接收设备报文'))
      await good.look()
      await ground.measure('after', { forMs: 5_000 })
      const { latenciesMs, open } = await good.look()
      ground.atMost('devices that are not connected', honest - open, 0)
      ground.isTrue('reports are acknowledged', latenciesMs.length > 0, `${latenciesMs.length} PUBACKs`)
      good.order({ kind: 'stop' })
      await ground.returnsTo(before)
    } finally {
      good.end()
    }
  },
}
