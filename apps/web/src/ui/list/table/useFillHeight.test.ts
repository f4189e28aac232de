import { expect, test } from 'vitest'
import { fillHeight } from './useFillHeight.ts'

// proves: constant table height
test('a table is as high as the window less its offset less 200, and never too low to use', () => {
  expect(fillHeight(900, 160)).toBe(540)
  expect(fillHeight(1080, 212)).toBe(668)
  expect(fillHeight(500, 200)).toBe(240)
})
