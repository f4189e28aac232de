import { describe, expect, test } from 'vitest'
import { type CodeBudget, createCodeBudget, type StandingAlarm } from './code-budget.ts'

const limits = { openAlarms: 200, unknownCodes: 100 }

/** A budget of which the dictionary defines nothing; the database has what `standing` says. */
async function budgetOf(standing: () => StandingAlarm[]) {
  let asked = 0
  const budget = createCodeBudget({
    limits,
    readDefined: async () => new Set(),
    readStanding: async (_deviceId, most) => {
      asked += 1
      return standing()
        .toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen))
        .slice(0, most)
    },
    throttle: () => undefined,
    complain(error) {
      throw error
    },
  })
  await settled()
  return { budget, asked: () => asked }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Recoveries of codes that nobody has used: the first that is refused. */
async function firstRefused(budget: CodeBudget, count: number): Promise<number | null> {
  for (let n = 0; n < count; n += 1) {
    if (budget.refusal(1, `F${n}`, 0)) return n
    await settled()
  }
  return null
}

describe('recoveries of invented codes', () => {
  test('count as codes, although nothing is open by them', async () => {
    const { budget, asked } = await budgetOf(() => [])
    expect(await firstRefused(budget, 300)).toBe(limits.unknownCodes)
    expect(asked()).toBeGreaterThan(0)
    expect(budget.refusal(1, 'G1', 0)).toMatchObject({ reason: 'tooManyCodes' })
    budget.close()
  })

  test('count beside more codes than are read, of which none is open beyond', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => ({ code: `H${n}`, isOpen: n < 3 }))
    const { budget } = await budgetOf(() => many)
    expect(await firstRefused(budget, 300)).not.toBeNull()
    // What is open recovers all the same.
    expect(budget.refusal(1, 'H2', 0)).toBeNull()
    budget.close()
  })
})
