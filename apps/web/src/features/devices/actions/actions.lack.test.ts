import { expect, test } from 'vitest'
import { lackIn } from './actions.lack.ts'

test('a row of a list says by its protocol what cannot be asked for, a known device by its mapping', () => {
  expect(lackIn({ protocol: 'ddi' }, 'restart')).toBe('该设备的协议不支持重启设备')
  expect(lackIn({ protocol: 'mqtt' }, 'restart')).toBeUndefined()
  const speaks = { name: '某厂协议', lacks: ['openDoor' as const], isObserved: false }
  expect(lackIn({ protocol: 'mqtt', speaks }, 'openDoor')).toBe('该设备的协议不支持打开仓门')
  expect(lackIn({ protocol: 'mqtt', speaks }, 'restart')).toBeUndefined()
})
