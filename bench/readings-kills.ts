/**
 * The packing of readings while its process is killed with -9: by turns at each named point of its work and at random
 * moments. Whatever was acknowledged is packed in the end, each value once.
 *
 *   npm run bench:readings-kills -- --kills 50
 */
import { parseArgs } from 'node:util'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { killSealing, type SealingKill, sealingPoints } from '../apps/server/test/sealing-kills.ts'
import { inWorld } from './world.ts'

const { values: options } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, 'longest-ms': { type: 'string', default: '300' } },
})
const wanted = Number(options.kills)

await inWorld({ environment: { ROLES: 'api,ingest' } }, async ({ server, database }) => {
  const url = databaseUrlOf(server.dataDir)
  const kills = Array.from({ length: wanted }, (_, n): (SealingKill | undefined)[] => {
    const turn = Math.floor(n / 2)
    const kill =
      n % 2 === 0
        ? {
            point: sealingPoints[turn % sealingPoints.length] as (typeof sealingPoints)[number],
            times: 1 + (Math.floor(turn / sealingPoints.length) % 2),
          }
        : { afterMs: Math.random() * Number(options['longest-ms']) }
    // Now and then it comes to its end: what is packed then is merged with what comes later.
    return n % 5 === 4 ? [kill, undefined] : [kill]
  }).flat()
  const done = await killSealing({ ...database, url, ownerUrl: url }, kills)
  for (const line of done.differences.slice(0, 20)) console.log(`  ${line}`)
  console.log(
    `${done.kills} of ${wanted} times kill -9 before the end: ${done.acknowledged} values acknowledged, ` +
      `${done.differences.length} lost, changed or doubled, ${done.open} reports left open; ` +
      `greatest ${done.greatest.acknowledged}, by the statistics ${done.greatest.added}`,
  )
  if (done.differences.length > 0 || done.open > 0) process.exitCode = 1
})
