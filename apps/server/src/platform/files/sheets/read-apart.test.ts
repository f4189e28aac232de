import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, test } from 'vitest'
import { hostileSheets, longestSheet } from '../../../../test/hostile-sheets.ts'
import { createLog } from '../../process/log.ts'
import { createSheetReader } from './read-apart.ts'

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-apart-'))
afterAll(() => rmSync(directory, { recursive: true }))
const path = join(directory, 'sent')
/** The largest sheets take long to create: 60 MB. */
const patienceMs = 60_000

function readerOf(limits?: { memoryMb: number; timeMs: number }) {
  const lines: string[] = []
  const metrics = new Registry()
  const log = createLog({ level: 'warn', console: { write: (line) => lines.push(line) } })
  const read = createSheetReader({ log, metrics, ...(limits && { limits }) })
  return {
    lines,
    read: (bytes: Uint8Array, rowLimit = 1_000) => {
      writeFileSync(path, bytes)
      return read({ path, rowLimit })
    },
    async refused() {
      const values = (await metrics.getSingleMetric('voltkeep_sheets_refused_total')?.get())?.values ?? []
      return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
    },
  }
}

describe('a sheet that is read in its own thread', { timeout: patienceMs }, () => {
  test('delivers its rows from the top, and only as many as requested', async () => {
    const { read } = readerOf()
    expect(await read(Buffer.from('编号,名称\n\nEC1,甲\nEC2,乙'), 2)).toEqual([
      { number: 1, cells: ['编号', '名称'] },
      { number: 3, cells: ['EC1', '甲'] },
    ])
    const rows = await read(await longestSheet(), 20_002)
    expect([rows.length, rows.at(-1)]).toEqual([20_002, { number: 20_002, cells: ['甲20002'] }])
  })

  test('that is missing is an internal error, not a refusal', async () => {
    const { log, metrics } = {
      log: createLog({ level: 'silent', console: { write: () => 0 } }),
      metrics: new Registry(),
    }
    const read = createSheetReader({ log, metrics })
    await expect(read({ path: join(directory, 'none'), rowLimit: 1 })).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  test('that exceeds its memory limit is refused, and nothing else ends', async () => {
    const { read, lines, refused } = readerOf({ memoryMb: 8, timeMs: 30_000 })
    await expect(read(await longestSheet(), 1_000_000)).rejects.toMatchObject({
      refusal: 'badInput',
      message: '读取文件所需内存过多，请拆分后再上传',
    })
    expect(await refused()).toMatchObject({ memory: 1 })
    expect(lines.join()).toContain('有上传的表格在 8 MB 内存内未能读完，已拒绝')
  })

  test('that exceeds its time limit is refused, and its thread ends', async () => {
    const { read, lines, refused } = readerOf({ memoryMb: 160, timeMs: 1 })
    await expect(read(await longestSheet(), 1_000_000)).rejects.toMatchObject({
      refusal: 'badInput',
      message: '读取文件超时，请拆分后再上传',
    })
    expect(await refused()).toMatchObject({ time: 1 })
    expect(lines.join()).toContain('未能读完，已拒绝')
  })
})

describe('a hostile sheet is refused by its content, before it costs memory or time:', () => {
  const { read, refused, lines } = readerOf({ memoryMb: 64, timeMs: 60_000 })

  test.each(hostileSheets)('$name', { timeout: patienceMs }, async ({ make, message }) => {
    await expect(read(await make())).rejects.toMatchObject({ refusal: 'badInput', message })
  })

  test('the list of hostile sheets is complete', async () => {
    expect(await refused()).toEqual({ content: hostileSheets.length, memory: 0, time: 0 })
    expect(lines).toEqual([])
  })
})
