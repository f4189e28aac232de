import { listEquipTypes, listModels, listPartTypes } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests()
const token = (await app.asUser()).token

// proves: call POST /equipType/all
test('equipment types are listed with their models and parts', async () => {
  const { data } = await app.call(listEquipTypes, {}, token)
  expect(data.map(({ code, classify }) => [code, classify])).toEqual([
    ['EC', 'EC'],
    ['CC', 'EC'],
    ['BAT', 'BAT'],
    ['ESS', 'ESS'],
  ])
  expect(data[0]?.name).toBe('换电柜')
  expect(data[0]?.equipModels.map(({ code }) => code)).toEqual(['VK-EC08', 'VK-EC12', 'VK-EC16'])
  expect(data[0]?.partTypes.slice(0, 2)).toEqual([
    { code: 'PART_TYPE_EC_MASTER', name: '主控' },
    { code: 'PART_TYPE_EC_BIN', name: '仓控' },
  ])
})

// proves: call POST /model/list; call GET /partType/list; call GET /model/part/list
test('models and parts are listed for one type, or for all', async () => {
  const types = (await app.call(listEquipTypes, {}, token)).data
  const equipTypeId = types.find(({ code }) => code === 'ESS')?.id
  const models = await app.call(listModels, { equipTypeId }, token)
  expect(models.data.map((model) => model.equipTypeId)).toEqual([equipTypeId, equipTypeId, equipTypeId])
  expect((await app.call(listModels, {}, token)).data).toHaveLength(10)
  const parts = await app.call(listPartTypes, { equipTypeId }, token)
  expect(parts.data.map(({ code }) => code)).toEqual(['WIFI', 'MPPT', 'BMS', 'SC'])
  expect((await app.call(listPartTypes, {}, token)).data).toHaveLength(11)
  expect((await app.call(listPartTypes, { equipTypeId: '99999999999' }, token)).data).toEqual([])
})
