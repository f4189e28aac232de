import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { exportDevices } from '@voltkeep/contract'
import { openDatabase } from '../../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../../apps/server/test/embedded-url.ts'
import type { AttackPart } from './part.ts'

const readers = 4
/** Makes a file larger than the socket buffers for a client that does not read. */
const deviceCount = 100_000
const readEveryMs = 1_000
const readBytes = 400
/** Two checks of a connection, a minute apart, and one more. */
const cutOffWithinMs = 200_000

/** One user requests exports and reads them very slowly. */
export const slowReaders: AttackPart = {
  name: 'readers',
  about: `${readers} exports of one user, read at ${readBytes} bytes a second each`,
  server: { environment: { LOG_LEVEL: 'error', EXPORTS_PER_USER: String(readers) } },
  async attack(ground) {
    const { server, adminToken } = ground
    const exported = () =>
      fetch(`${server.url}/api${exportDevices.path}`, { headers: { authorization: adminToken } })
    await fillDevices(server.dataDir)
    const fileBytes = (await (await exported()).arrayBuffer()).byteLength
    console.log(`  an export is ${(fileBytes / 1_048_576).toFixed(1)} MB`)
    const before = await ground.measure('before', { forMs: 5_000 })
    const during = await ground.measure('during', async () => {
      for (let n = 0; n < readers; n += 1) readSlowly(Number(new URL(server.url).port), adminToken)
      await delay(10_000)
      const refused = await exported()
      ground.atMost('exports of the user beyond his four', refused.status === 429 ? 0 : 1, 0)
      await refused.arrayBuffer()
    })
    ground.atMost("neighbour's calls that failed", during.failed, 0)
    const beganAt = Date.now()
    let status = 0
    while (status !== 200 && Date.now() - beganAt < cutOffWithinMs) {
      await delay(2_000)
      const answer = await exported()
      status = answer.status
      await answer.arrayBuffer()
    }
    ground.isTrue(
      'readers are cut off, and the user may export again',
      status === 200,
      `after ${Math.round((Date.now() - beganAt) / 1_000)} s`,
    )
    await ground.returnsTo(before)
  },
}

function readSlowly(port: number, token: string): void {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`GET /api${exportDevices.path} HTTP/1.1\r\nHost: voltkeep\r\nAuthorization: ${token}\r\n\r\n`)
  const timer = setInterval(() => void socket.read(readBytes), readEveryMs)
  socket.once('close', () => clearInterval(timer))
}

/** With incompressible texts. */
async function fillDevices(dataDir: string): Promise<void> {
  const { pool, close } = await openDatabase({
    url: databaseUrlOf(dataDir),
    zone: 'Asia/Shanghai',
    poolSize: 1,
  })
  await pool.query(
    `INSERT INTO device (code, name, operator_id, model_id, region_id, address, secret_hash)
     SELECT 'SLOW' || n, md5(n::text) || md5((n + 1)::text), operator_id, model_id, region_id,
       md5((n + 2)::text) || md5((n + 3)::text) || md5((n + 4)::text), ''
     FROM (SELECT * FROM device ORDER BY id LIMIT 1) d, generate_series(1, $1::int) n`,
    [deviceCount],
  )
  await close()
}
