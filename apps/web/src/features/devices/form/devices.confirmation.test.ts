import { expect, test } from 'vitest'
import { confirmationOf } from './devices.confirmation.ts'

const device = {
  code: 'EC0001',
  operatorId: '1',
  operatorName: '深圳换电',
  regionCode: '440305',
  regionName: '中国 / 广东省 / 深圳市 / 南山区',
}
const nameOf = { operator: () => '广州换电', region: () => '中国 / 广东省 / 广州市' }

test('a save that changes neither operator nor region is not confirmed', () => {
  expect(confirmationOf(device, { operatorId: '1', regionCode: '440305' }, nameOf)).toBeUndefined()
})

test('a change of operator or region is confirmed with the names before and after', () => {
  expect(confirmationOf(device, { operatorId: '2', regionCode: '440100' }, nameOf)?.body).toBe(
    [
      '设备 EC0001 将由运营商“深圳换电”改归“广州换电”，能看到它的人随即改变。',
      '设备 EC0001 将由“中国 / 广东省 / 深圳市 / 南山区”移到“中国 / 广东省 / 广州市”，能看到它的人随即改变。',
    ].join('\n'),
  )
})
