import { calm } from './calm.ts'
import { live } from './live.ts'
import type { Scenario } from './stage.ts'
import { storm } from './storm.ts'
import { disconnects, duplicates, intruders, late, malformed, skew } from './trouble.ts'

/** By the name that `--scenario` takes. */
export const scenarios = {
  live,
  calm,
  storm,
  disconnects,
  duplicates,
  late,
  malformed,
  skew,
  intruders,
} satisfies Record<string, Scenario>
export type ScenarioName = keyof typeof scenarios
