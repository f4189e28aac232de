import type { Definition } from './alarm-definitions.queries.ts'

/**
 * The definitions that a value means, by position: those whose bit is set in it or, for a semaphore that is analysed
 * by value, the one equal to it. Values are safe integers, beyond the 32 bits of JavaScript's bit operators.
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
