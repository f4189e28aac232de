import { describe, expect, it } from 'vitest'
import { treeRows, wayTo } from './treeRows.ts'

interface Place {
  name: string
  below: Place[]
}
const place = (name: string, ...below: Place[]): Place => ({ name, below })
const shape = {
  keyOf: ({ name }: Place) => name,
  childrenOf: ({ below }: Place) => below,
  textOf: ({ name }: Place) => name,
}
const china = [
  place('China', place('Guangdong', place('Shenzhen', place('Nanshan')), place('Foshan')), place('Hainan')),
  place('Europe'),
]
const lines = (keyword: string, toggled: [string, boolean][] = [], openLevels = 2) =>
  treeRows(china, shape, { toggled: new Map(toggled), openLevels, keyword }).rows.map(
    ({ key, level, isOpen, hasChildren }) =>
      `${' '.repeat(level - 1)}${hasChildren ? (isOpen ? '-' : '+') : '.'}${key}`,
  )

describe('the lines of a tree', () => {
  it('are open down to a level, and where somebody opened or closed them', () => {
    expect(lines('')).toEqual(['-China', ' +Guangdong', ' .Hainan', '.Europe'])
    expect(lines('', [['China', false]])).toEqual(['+China', '.Europe'])
    expect(lines('', [['Guangdong', true]])).toEqual([
      '-China',
      ' -Guangdong',
      '  +Shenzhen',
      '  .Foshan',
      ' .Hainan',
      '.Europe',
    ])
  })

  it('lead to what has the keyword, whatever its case, and count that', () => {
    expect(lines(' shan ')).toEqual(['-China', ' -Guangdong', '  -Shenzhen', '   .Nanshan', '  .Foshan'])
    expect(treeRows(china, shape, { toggled: new Map(), openLevels: 2, keyword: 'shan' }).count).toBe(2)
    expect(lines('nowhere')).toEqual([])
  })

  it('hide nothing below what was found', () => {
    expect(lines('guang')).toEqual(['-China', ' +Guangdong'])
    expect(lines('guang', [['Guangdong', true]])).toEqual([
      '-China',
      ' -Guangdong',
      '  +Shenzhen',
      '  .Foshan',
    ])
  })

  it('know their place among those shown', () => {
    const { rows } = treeRows(china, shape, { toggled: new Map(), openLevels: 2, keyword: 'hainan' })
    expect(rows.at(-1)).toMatchObject({ key: 'Hainan', parentKey: 'China', position: 1, siblings: 1 })
    expect(rows.map(({ isQuiet }) => isQuiet)).toEqual([true, false])
  })
})

it('the way to a node goes from the root down', () => {
  expect(wayTo(china, 'Foshan', shape).map(({ name }) => name)).toEqual(['China', 'Guangdong', 'Foshan'])
  expect(wayTo(china, 'nowhere', shape)).toEqual([])
})
