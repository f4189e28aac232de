import { readFileSync } from 'node:fs'
import { mostCompartments } from '@voltkeep/contract/compartments'
import { alarmKinds, type Classify, type SimulatedIdentity } from './firmware.ts'

const usualParts: Record<Classify, readonly string[]> = {
  EC: [
    'PART_TYPE_EC_MASTER',
    'PART_TYPE_EC_BIN',
    'PART_TYPE_EC_CABINET',
    'PART_TYPE_EC_POWER',
    'PART_TYPE_EC_FIRE',
  ],
  BAT: ['BMS'],
  ESS: ['WIFI', 'MPPT', 'BMS', 'SC'],
}

/**
 * Reads the devices to simulate: a JSON list of {code, secret, classify?, partTypes?, boards?, compartments?}. The defaults are a
 * cabinet (EC) for `classify` and the usual parts for `partTypes`; without `boards` ({part type: code of its board})
 * the device reports no boards. `compartments` is how many
 * a cabinet has. Throws a TypeError for anything else.
 */
export function readSecrets(path: string): SimulatedIdentity[] {
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!Array.isArray(content)) throw new TypeError(`${path}: not a list`)
  return content.map((entry: Partial<Record<keyof SimulatedIdentity, unknown>>, index) => {
    const { code, secret, classify = 'EC', partTypes, boards, compartments } = entry
    if (typeof code !== 'string' || typeof secret !== 'string') {
      throw new TypeError(`${path}: entry ${index} has no code or no secret`)
    }
    const known = typeof classify === 'string' && classify in alarmKinds ? (classify as Classify) : 'EC'
    const parts = Array.isArray(partTypes) ? partTypes.map(String) : usualParts[known]
    const count = Number(compartments)
    return {
      code,
      secret,
      classify: known,
      partTypes: parts,
      boards: textsOf(boards),
      ...(Number.isInteger(count) && count >= 1 && count <= mostCompartments && { compartments: count }),
    }
  })
}

function textsOf(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]))
}
