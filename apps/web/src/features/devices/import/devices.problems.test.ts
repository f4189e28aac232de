import { expect, test } from 'vitest'
import { groupProblems } from './devices.problems.ts'

const problem = (row: number, column: string, message: string, value: string | null = null) => ({
  row,
  column,
  message,
  value,
})

test('equal problems are listed once, with their rows as ranges, the most frequent first', () => {
  const many = Array.from({ length: 250 }, (_, at) => problem(at + 2, '地区', '地区“火星”不存在', '火星'))
  const groups = groupProblems([
    problem(7, '设备编号', '设备编号不能为空'),
    ...many,
    problem(260, '地区', '地区“火星”不存在', '火星'),
    problem(9, '设备编号', '设备编号不能为空'),
  ])
  expect(groups).toEqual([
    { column: '地区', message: '地区“火星”不存在', values: ['火星'], rowCount: 251, rows: '2–251、260' },
    { column: '设备编号', message: '设备编号不能为空', values: [], rowCount: 2, rows: '7、9' },
  ])
})

test('equal problems with different cell contents list the contents', () => {
  const [group] = groupProblems([
    problem(3, '设备编号', '设备编号已存在', 'B'),
    problem(2, '设备编号', '设备编号已存在', 'A'),
    problem(4, '设备编号', '设备编号已存在', 'B'),
  ])
  expect(group).toMatchObject({ values: ['B', 'A'], rows: '2–4' })
})
