// Packs the readings of a database in a process of its own, which kills itself where a test wants it:
//
//   node sealing-process.ts <server's url> <owner's url> <now, ms> <point> <how often>
import { addUp, type SealingPoint, sealHours } from '../src/features/readings/history/sealing.ts'
import { openPool } from '../src/platform/database/database.ts'

const [url = '', ownerUrl = '', nowMs, point, times] = process.argv.slice(2)
const zone = 'Asia/Shanghai'
process.env.TZ = zone
const pool = openPool({ url, zone, poolSize: 2 })
const owner = openPool({ url: ownerUrl, zone, poolSize: 2 })
let left = Number(times)
const at = async (now: SealingPoint) => {
  if (now !== point) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
const sealing = {
  pool,
  owner,
  retention: { rawDays: 30, hourDays: 400, dayYears: 5 },
  now: new Date(Number(nowMs)),
  at,
}
// For who kills it from outside, after a time.
process.send?.('begun')
await sealHours(sealing)
await addUp(sealing)
await pool.end()
await owner.end()
if (process.connected) process.disconnect()
