import { expect, test } from 'vitest'
import { confirmationOf } from './equipTypes.confirmation.ts'

const model = (id: string) => ({
  id,
  name: id,
  code: id,
  compartmentCount: null,
  compartmentColumns: null,
  version: 1,
})
const part = (code: string) => ({ code, name: code, version: 1 })
const type = { equipModels: [model('1'), model('2')], partTypes: [part('WIFI'), part('PCS')] }

test('a change of a type’s parts is confirmed with the number of models that follow', () => {
  expect(confirmationOf(type, { name: '换电柜', partTypes: ['WIFI', 'BMS'] })?.body).toBe(
    '设备类型“换电柜”的部件有改动，其下 2 个型号沿用的部件随之增减。',
  )
  expect(confirmationOf(type, { name: '换电柜', partTypes: [] })).toBeDefined()
})

test('the same parts in another order, and a type without models, are not confirmed', () => {
  expect(confirmationOf(type, { name: '换电柜', partTypes: ['PCS', 'WIFI'] })).toBeUndefined()
  expect(confirmationOf({ ...type, equipModels: [] }, { name: '换电柜', partTypes: [] })).toBeUndefined()
})
