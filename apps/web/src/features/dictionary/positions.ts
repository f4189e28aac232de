import { highestBit } from '@voltkeep/contract/dictionary'

/**
 * The position offered for a new row: the first free bit, or one more than the largest value; '' where all are taken.
 */
export function freePosition(analysisType: 'BIT' | 'VALUE', taken: readonly number[]): number | '' {
  if (analysisType === 'VALUE')
    return taken.length === 0 ? 0 : Math.max(...taken.filter(Number.isSafeInteger), -1) + 1
  for (let bit = 0; bit <= highestBit; bit += 1) if (!taken.includes(bit)) return bit
  return ''
}
