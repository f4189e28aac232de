import { describe, expect, it } from 'vitest'
import { createRandom } from '../random.ts'
import { englishTroubles } from '../texts.ts'
import {
  actionTroubles,
  byChance,
  inTurn,
  logTroubles,
  parseTroubles,
  settingTroubles,
  troubles,
  upgradeTroubles,
} from './trouble.ts'

describe('troubles', () => {
  it.each([
    [troubles, englishTroubles.advertising],
    [upgradeTroubles, englishTroubles.upgrades],
    [settingTroubles, englishTroubles.settings],
    [logTroubles, englishTroubles.logs],
    [actionTroubles, englishTroubles.actions],
  ])('have a meaning in English too', (known, english) => {
    expect(Object.keys(english)).toEqual(Object.keys(known))
  })

  it('occur in the requested shares, and the same for the same seed', () => {
    const shares = parseTroubles(troubles, ['disk-full=0.1', 'refuses=0.05'])
    const draw = (seed: number) => {
      const script = byChance(shares)(createRandom(seed))
      return Array.from({ length: 10_000 }, () => script())
    }
    const drawn = draw(7)
    expect(draw(7)).toEqual(drawn)
    expect(draw(8)).not.toEqual(drawn)
    const shareOf = (name: string | undefined) => drawn.filter((one) => one === name).length / drawn.length
    expect(shareOf('disk-full')).toBeCloseTo(0.1, 1)
    expect(shareOf('refuses')).toBeCloseTo(0.05, 1)
    expect(shareOf(undefined)).toBeCloseTo(0.85, 1)
  })

  it('occur in the given order, and then no more', () => {
    const script = inTurn('refuses', undefined, 'lies')(createRandom(1))
    expect([script(), script(), script(), script()]).toEqual(['refuses', undefined, 'lies', undefined])
  })

  it.each([
    ['flood=0.1', '没有名为 flood 的故障'],
    ['refuses', '比例应为 0 到 1'],
    ['refuses=', '比例应为 0 到 1'],
    ['refuses=1.5', '比例应为 0 到 1'],
  ])('%s is refused with its reason', (text, reason) => {
    expect(() => parseTroubles(troubles, [text])).toThrow(reason)
  })

  it('are refused if their shares exceed 1', () => {
    expect(() => parseTroubles(troubles, ['refuses=0.6', 'lies=0.6'])).toThrow('之和')
  })
})
