import { importColumns } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { growthOf, mostGrowth } from '../../../../test/growth.ts'
import { createRowCheck, type Reference, readTitles } from './import.rules.ts'

const reference: Reference = {
  operators: [
    { id: 1, code: 'OP1', name: '平台自营' },
    { id: 2, code: 'OP2', name: '同名' },
    { id: 3, code: 'OP3', name: '同名' },
  ],
  equipTypes: [
    { id: 1, code: 'EC', name: '换电柜' },
    { id: 2, code: 'ESS', name: '储能柜' },
  ],
  equipModels: [
    { id: 1, code: 'EC12', name: '十二仓', equipTypeId: 1 },
    { id: 2, code: 'ES12', name: '通用', equipTypeId: 2 },
    { id: 3, code: 'EC99', name: '通用', equipTypeId: 1 },
  ],
  regions: [
    { id: 1, code: 'all', name: '全部', isEverywhere: true, depth: 0 },
    { id: 2, code: '440305', name: '中国 / 广东省 / 深圳市 / 南山区', isEverywhere: false, depth: 3 },
    { id: 3, code: '230404', name: '中国 / 黑龙江省 / 鹤岗市 / 南山区', isEverywhere: false, depth: 3 },
  ],
}
const order = Object.values(importColumns)
const titles = readTitles({ number: 1, cells: order })

/** Checks rows given by title; the first one is row 2. */
function judge(...rows: Record<string, string>[]) {
  const check = createRowCheck(titles, reference)
  return rows.map((row, index) => check({ number: index + 2, cells: order.map((title) => row[title]) }))
}
const right = { 设备编号: 'EC1', 运营商: '平台自营', 设备型号: '十二仓', 地区: '440305' }
const messagesOf = (row: Record<string, string>) =>
  judge({ ...right, ...row })[0]?.problems.map(({ column, message }) => `${column}：${message}`)

describe('a row', () => {
  test('that is valid returns its device; without a business status it is not delivered', () => {
    expect(judge(right)[0]).toMatchObject({
      problems: [],
      device: { row: 2, code: 'EC1', name: null, businessStatus: 2, operator: { id: 1 }, region: { id: 2 } },
    })
  })

  test('shows only the beginning of a long cell in its problem', () => {
    const [judged] = judge({ ...right, 设备编号: `${'x'.repeat(99)}😀${'x'.repeat(2_000)}` })
    expect(judged?.problems[0]?.value).toBe(`${'x'.repeat(99)}\ufffd`)
  })

  test('reports every problem, each with its column and value', () => {
    const [judged] = judge({
      设备编号: 'EC-1',
      设备名称: '长'.repeat(65),
      运营商: '没有',
      设备型号: '没有',
      地区: '没有',
      地址: '长'.repeat(201),
      业务状态: '5',
    })
    expect(judged?.device).toBeNull()
    expect(judged?.problems.map(({ row, column, message }) => [row, column, message])).toEqual([
      [2, '设备编号', '设备编号只能是 1 到 32 位字母或数字'],
      [2, '设备名称', '设备名称长度不能超过64个字符'],
      [2, '地址', '地址长度不能超过200个字符'],
      [2, '运营商', '运营商“没有”不存在'],
      [2, '地区', '地区“没有”不存在'],
      [2, '设备型号', '设备型号“没有”不存在'],
      [2, '业务状态', '业务状态只能是已激活、未交付、调试中'],
    ])
    expect(judged?.problems[3]?.value).toBe('没有')
  })

  test('with a name only is missing the required cells', () => {
    expect(judge({ 设备名称: '甲' })[0]?.problems.map(({ message }) => message)).toEqual([
      '设备编号不能为空',
      '运营商不能为空',
      '地区不能为空',
      '设备型号不能为空',
    ])
  })

  test('with the code of an earlier row names that row', () => {
    const [, second] = judge(right, right)
    expect(second?.problems).toEqual([
      { row: 3, column: '设备编号', value: 'EC1', message: '与第 2 行的设备编号重复' },
    ])
  })

  test('is matched by code in any case, and needs the code where a name is ambiguous', () => {
    expect(messagesOf({ 运营商: 'op3', 设备型号: 'ec12' })).toEqual([])
    expect(messagesOf({ 运营商: '同名' })).toEqual(['运营商：有 2 个运营商名为“同名”，请填写编码'])
  })

  test('may distinguish models with the same name by their type, which must match', () => {
    expect(messagesOf({ 设备型号: '通用' })).toEqual(['设备型号：有 2 个设备型号名为“通用”，请填写编码'])
    expect(judge({ ...right, 设备型号: '通用', 设备类型: '储能柜' })[0]?.device?.equipModel.id).toBe(2)
    expect(messagesOf({ 设备类型: '储能柜' })).toEqual(['设备型号：设备型号“十二仓”不属于设备类型“储能柜”'])
    expect(messagesOf({ 设备类型: '飞机' })).toEqual(['设备类型：设备类型“飞机”不存在'])
  })

  test('names a region by as many ancestors as make it unique', () => {
    expect(messagesOf({ 地区: '南山区' })).toEqual([
      '地区：有 2 个地区名为“南山区”，请写出上级地区，如 深圳市/南山区，或填写编码',
    ])
    for (const way of ['深圳市/南山区', '广东省 / 深圳市 ／ 南山区', '中国>广东省>深圳市>南山区']) {
      expect(judge({ ...right, 地区: way })[0]?.device?.region.id).toBe(2)
    }
    expect(messagesOf({ 地区: '全部' })).toEqual(['地区：请选择具体的地区'])
  })

  test('reads a region of many blanks as quickly as one of few', () => {
    const growth = growthOf(
      (cell) => messagesOf({ 地区: cell }),
      (length) => `深${' '.repeat(length)}圳`,
      1_000,
    )
    expect(growth).toBeLessThan(mostGrowth)
  })

  test('accepts the business status as a word or a number', () => {
    expect(judge({ ...right, 业务状态: '已激活' })[0]?.device?.businessStatus).toBe(1)
    expect(judge({ ...right, 业务状态: '3' })[0]?.device?.businessStatus).toBe(3)
  })
})

describe('titles', () => {
  const read = (...cells: (string | undefined)[]) => readTitles({ number: 1, cells })
  test('may be in any order, marked as required or not', () => {
    const found = read('地区', undefined, '运营商*', ' 设备编号', '设备型号')
    expect([...found]).toEqual([
      ['region', 0],
      ['operator', 2],
      ['code', 3],
      ['equipModel', 4],
    ])
  })

  test('that are missing, unknown or duplicated are reported', () => {
    expect(() => read('设备编号', '地区')).toThrow('缺少列：运营商、设备型号。请使用导入模板')
    expect(() => read('设备编号', '地区', '运营商', '设备型号', '密码')).toThrow('无法识别的列：密码。')
    expect(() => read('设备编号', '设备编号')).toThrow('列“设备编号”重复')
  })
})
