import { expect, it } from 'vitest'
import { createPassing } from './watched-devices.ts'

it('a device is there until its time has passed, which begins anew each time', () => {
  let now = 1_000
  const devices = createPassing(100, () => now)
  devices.put(1)
  now += 60
  devices.put(2)
  devices.put(1)
  now += 99
  expect([devices.has(1), devices.has(2), devices.has(3)]).toEqual([true, true, false])
  now += 1
  expect([devices.has(1), devices.has(2)]).toEqual([false, false])
})

it('those whose time has passed are forgotten, however many there were', () => {
  let now = 0
  const devices = createPassing(100, () => now)
  for (let id = 1; id <= 5_000; id += 1) {
    now += 1
    devices.put(id)
  }
  expect(devices.size).toBe(100)
  now += 1_000
  devices.put(1)
  expect(devices.size).toBe(1)
  devices.clear()
  expect([devices.size, devices.has(1)]).toEqual([0, false])
})
