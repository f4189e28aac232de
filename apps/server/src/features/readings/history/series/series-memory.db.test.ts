// A month of a device that reports every second, in a thread with less memory than its values take.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatDateTime } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { createTestDatabase, endWithFile } from '../../../../../test/database.ts'
import { packHour } from '../packing/index.ts'
import { makeReadingPartitions } from '../partitions-of-readings.ts'
import { idOfKey } from '../reading-ids.ts'

const hourMs = 3_600_000
const retention = { rawDays: 40, hourDays: 400, dayYears: 5 }
const nowMs = Date.UTC(2026, 4, 20, 5)
const fromMs = nowMs - 720 * hourMs
const keys = [1, 2, 3, 4].map((no) => `compartments.${no}.soc`)

const database = await createTestDatabase()
endWithFile(() => database.close())

/** What the thread does: its code is text, since it runs outside of the test runner. */
const inThread = `
  const { parentPort, workerData } = require('node:worker_threads')
  const main = async () => {
    const { url, modules, asked } = workerData
    const { openDatabase } = await import(modules.database)
    const { createSeries } = await import(modules.series)
    const { keptReadings } = await import(modules.kept)
    const { wordsBy } = await import(modules.words)
    const retention = { rawDays: 36500, hourDays: 36500, dayYears: 100 }
    const database = await openDatabase({ url, zone: 'Asia/Shanghai', poolSize: 2 })
    const series = createSeries({
      db: database.db,
      kept: keptReadings(database.pool, retention),
      findCode: async () => 'EC1',
      rulesOf: async () => () => ({ longestMs: 900000 }),
      wordsOf: async () => wordsBy([]),
      retention,
    })
    const actor = { isSystem: true, functionCodes: new Set() }
    const curve = await series.readSeries(actor, asked)
    const refused = await series.exportSeries(actor, asked).then(() => null, (error) => error.problems[0].message)
    await database.close()
    parentPort.postMessage({ level: curve.level, points: curve.series.map(({ points }) => points.length), refused })
  }
  main()`

test('curves and exports keep no more of it than an hour', { timeout: 120_000 }, async () => {
  await makeReadingPartitions(database.owner, { at: [new Date(), new Date(nowMs)], retention })
  const times = Array.from({ length: 3_600 }, (_, second) => second * 1_000)
  const block = await packHour({
    times,
    series: new Map(
      keys.map((key, place) => [
        idOfKey(key) as number,
        times.map((at) => ((at / 1_000) * (place + 7)) % 101),
      ]),
    ),
  })
  await database.pool.query(
    'INSERT INTO reading_hour (device_id, hour, block) SELECT 3, $1::int4 + n, $2 FROM generate_series(0, 719) n',
    [fromMs / hourMs, block],
  )
  const here = (path: string) => new URL(path, import.meta.url).href
  const thread = new Worker(inThread, {
    eval: true,
    workerData: {
      url: database.url,
      modules: {
        database: here('../../../../platform/database/database.ts'),
        series: here('./series.service.ts'),
        kept: here('./kept-readings.ts'),
        words: here('./reading-words.ts'),
      },
      asked: {
        id: '3',
        keys,
        startTime: formatDateTime(new Date(fromMs)),
        endTime: formatDateTime(new Date(nowMs - 1_000)),
        points: 2_000,
      },
    },
    resourceLimits: { maxOldGenerationSizeMb: 96 },
  })
  const [answer] = await once(thread, 'message')
  expect(answer).toEqual({
    level: 'raw',
    points: keys.map(() => 1_440),
    refused: '共 2592000 行，超过 Excel 上限 1048575 行，请缩小查询范围后再导出',
  })
})
