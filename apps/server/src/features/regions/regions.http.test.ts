import { listRegions, type RegionNode } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app.close())

const child = (nodes: RegionNode[] | undefined, value: string) => nodes?.find((node) => node.value === value)

test('the region tree goes from the default options down to districts', async () => {
  const { token } = await app.asUser()
  const { data } = await app.call(listRegions, {}, token)
  expect(data.map(({ value, label, parentCode }) => [value, label, parentCode])).toEqual([
    ['86', '中国', null],
    ['01', '美国', null],
    ['49', '欧洲', null],
    ['all', '全部', null],
  ])
  const provinces = data[0]?.childrens
  expect(provinces).toHaveLength(34)
  const guangdong = child(provinces, '440000')
  expect(guangdong).toMatchObject({ label: '广东省', parentCode: '86' })
  const nanshan = child(child(guangdong?.childrens, '440300')?.childrens, '440305')
  expect(nanshan).toMatchObject({ value: '440305', label: '南山区', parentCode: '440300', childrens: [] })
})
