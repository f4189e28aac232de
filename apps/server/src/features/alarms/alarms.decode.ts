import type { Definition } from './alarms.queries.ts'

/**
 * The definitions that stand behind a value, by position: those whose bit is set in it, or, where the
 * semaphore is read by value, the one equal to it. Values are safe integers, so beyond the 32 bits that
 * JavaScript's own bit operators know.
 */
export function decode(definitions: readonly Definition[], value: number): Definition[] {
  return definitions
    .filter((definition) => isBehind(definition, value))
    .sort((a, b) => a.bitPosition - b.bitPosition)
}

function isBehind({ analysisType, bitPosition }: Definition, value: number): boolean {
  switch (analysisType) {
    case 'BIT':
      return ((BigInt(value) >> BigInt(bitPosition)) & 1n) === 1n
    case 'VALUE':
      return bitPosition === value
  }
}
