import { expect, test, vi } from 'vitest'
import { createLogText, type LogText } from './logText.ts'
import { maxRowBytes } from './rows.ts'

const base = { year: 2026, month: 11, day: 22 }
const utf8 = new TextEncoder()
/** 错误 in GB18030. */
const gbkError = [0xb4, 0xed, 0xce, 0xf3]

/** The text after it arrived in pieces of this size. */
function read(content: string | Uint8Array, pieceBytes = 7): LogText {
  const bytes = typeof content === 'string' ? utf8.encode(content) : content
  const text = createLogText({ base })
  for (let at = 0; at < bytes.length; at += pieceBytes) text.append(bytes.slice(at, at + pieceBytes))
  text.finish()
  return text
}

const textsOf = async (text: LogText, from = 0, count = 1_000) =>
  (await text.rows(from, count)).map((row) => row.text)

async function searched(text: LogText, words: string, isCaseSensitive = false) {
  text.search({ text: words, isCaseSensitive })
  await vi.waitFor(() => expect(text.searchState().isOver).toBe(true))
  return Array.from({ length: text.searchState().hits }, (_, number) => {
    const hit = text.hit(number)
    return [hit?.place, hit?.column]
  })
}

const minute = (at: number) =>
  `2026-11-22 ${String(9 + Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00`

test('pieces of any size give the same lines, with any line ending', async () => {
  const content = '第一行\r\n第二行\n\n最后一行'
  for (const pieceBytes of [1, 2, 3, 5, 1_000]) {
    const text = read(content, pieceBytes)
    expect(await textsOf(text)).toEqual(['第一行', '第二行', '', '最后一行'])
    expect(text.state().lines).toBe(4)
  }
})

test('a line ending at the end of the file begins no further line', () => {
  expect(read('a\nb\n').state().lines).toBe(2)
  expect(read('').state().lines).toBe(0)
})

test('lines can be read while more arrive', async () => {
  const text = createLogText({ base })
  text.append(utf8.encode('one\ntw'))
  expect(await textsOf(text)).toEqual(['one'])
  text.append(utf8.encode('o\n'))
  expect(await textsOf(text)).toEqual(['one', 'two'])
  expect(text.state().isComplete).toBe(false)
})

test('GB18030 is detected and decoded, also where a character is split between pieces', async () => {
  const line = [0x5b, ...gbkError, 0x5d, 0x20, 0xb5, 0xe7, 0xb3, 0xd8, 10]
  const text = read(Uint8Array.from([...line, ...line]), 3)
  expect(await textsOf(text)).toEqual(['[错误] 电池', '[错误] 电池'])
  expect(text.state().encoding).toBe('gb18030')
  expect((await text.rows(0, 1))[0]?.level).toBe(4)
})

test('a line of one megabyte is split into rows and loses no character', async () => {
  const long = '电池电压3.2V，'.repeat(60_000)
  const text = read(`before\n${long}\nafter\n`, 65_536)
  const { rows: count, lines } = text.state()
  expect(lines).toBe(3)
  expect(count).toBeGreaterThan(utf8.encode(long).length / maxRowBytes)
  const rows = await text.rows(0, count)
  expect(
    rows
      .slice(1, -1)
      .map((row) => row.text)
      .join(''),
  ).toBe(long)
  expect(rows.filter(({ line }) => line !== undefined).map(({ line }) => line)).toEqual([1, 2, 3])
})

test('a hit that spans two rows of a long line is found where it begins', async () => {
  const text = read(`${'x'.repeat(maxRowBytes - 3)}needle${'x'.repeat(9_000)}\nneedle\n`, 4_096)
  const last = text.state().rows - 1
  expect(await searched(text, 'needle')).toEqual([
    [0, maxRowBytes - 3],
    [last, 0],
  ])
})

test('every hit is found: several in a line, and across chunks of lines', async () => {
  const lines = Array.from({ length: 40_000 }, (_, at) =>
    at % 10_000 === 9_999 ? '仓位7 和 仓位7' : `行 ${at}`,
  )
  expect(await searched(read(lines.join('\n'), 65_536), '仓位7')).toEqual(
    [9_999, 19_999, 29_999, 39_999].flatMap((row) => [
      [row, 0],
      [row, 6],
    ]),
  )
})

test('a search is case-sensitive only on request, and treats pattern characters literally', async () => {
  const text = read('Error (5)\nerror [5]\n')
  expect(await searched(text, 'ERROR')).toHaveLength(2)
  expect(await searched(text, 'Error', true)).toEqual([[0, 0]])
  expect(await searched(text, '(5)')).toEqual([[0, 6]])
})

test('a running search includes text that arrives later', async () => {
  const text = createLogText({ base })
  text.append(utf8.encode('hit\n'))
  text.search({ text: 'hit', isCaseSensitive: false })
  text.append(utf8.encode('no\nhit'))
  text.finish()
  await vi.waitFor(() => expect(text.searchState()).toMatchObject({ hits: 2, isOver: true }))
})

test('the next hit is the first at or after a line, and wraps around at the end', async () => {
  const text = read('hit\n\n\nhit\n\n')
  await searched(text, 'hit')
  expect([0, 1, 3, 4].map((place) => text.hitFrom(place))).toEqual([0, 1, 1, 0])
})

test('terminal colour codes are removed, and hit columns refer to the displayed text', async () => {
  const text = read('\x1b[31mERROR\x1b[0m lost\n')
  expect(await textsOf(text)).toEqual(['ERROR lost'])
  expect(await searched(text, 'lost')).toEqual([[0, 6]])
})

test('levels are counted per line, and lines without one are shown with the entry above', async () => {
  const text = read('09:00:00 ERROR a\n  at b\n  at c\n09:00:01 INFO d\n09:00:02 错误 e\n')
  expect(text.state().levelCounts).toEqual([2, 0, 1, 0, 2])
  expect(text.filter([4], 0)).toBe(0)
  expect((await text.rows(0, 10)).map(({ line, level, text: words }) => [line, level, words])).toEqual([
    [1, 4, '09:00:00 ERROR a'],
    [2, 0, '  at b'],
    [3, 0, '  at c'],
    [5, 4, '09:00:02 错误 e'],
  ])
})

test('a filter keeps the current line in view, and hits are limited to shown lines', async () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `${at % 100 === 0 ? 'ERROR' : 'INFO'} ${at} hit`)
  const text = read(lines.join('\n'), 4_096)
  expect(text.filter([4], 450)).toBe(5)
  expect(await searched(text, 'hit')).toHaveLength(10)
  expect(await textsOf(text, 5, 1)).toEqual(['ERROR 500 hit'])
  expect(text.filter(undefined, 5)).toBe(500)
  await vi.waitFor(() => expect(text.searchState()).toMatchObject({ hits: 1_000, isOver: true }))
})

test('the first line at or after a time is found among thousands', async () => {
  const lines = Array.from({ length: 800 }, (_, at) => `${minute(at)} INFO ${at}\n  detail`)
  const text = read(lines.join('\n'), 4_096)
  expect(await text.placeOfTime(Date.UTC(2026, 10, 22, 12, 0, 0))).toBe(360)
  expect(await text.placeOfTime(Date.UTC(2026, 10, 22, 12, 0, 1))).toBe(362)
  expect(await text.placeOfTime(Date.UTC(2026, 10, 22, 1))).toBe(0)
  expect(await text.placeOfTime(Date.UTC(2026, 10, 22, 22, 19, 30))).toBeUndefined()
  expect(text.state()).toMatchObject({
    firstTime: Date.UTC(2026, 10, 22, 9),
    lastTime: Date.UTC(2026, 10, 22, 22, 19),
  })
})

test('lines from before the clock was set do not affect the search for a time', async () => {
  const booted = Array.from({ length: 300 }, (_, at) => `1970-01-01 00:00:0${at % 10} boot`)
  const lines = Array.from({ length: 300 }, (_, at) => `${minute(at)} INFO`)
  const text = read([...booted, ...lines].join('\n'), 4_096)
  expect(await text.placeOfTime(Date.UTC(2026, 10, 22, 10))).toBe(360)
})

test('in a text without times no time is found', async () => {
  const text = read('a\nb\n')
  expect(await text.placeOfTime(0)).toBeUndefined()
  expect(await text.timeAt(0)).toBeNaN()
})

test('lines are copied unchanged, a long line in one piece', async () => {
  const long = 'y'.repeat(5_000)
  const text = read(`a\n${long}\nb\nc\n`, 512)
  expect(await text.copied(0, text.state().rows - 2)).toBe(`a\n${long}\nb`)
})
