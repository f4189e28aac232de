import type { ReadingRow } from '@voltkeep/contract/readings'

/** A reading as the catalogue has it; what it does not know is null. */
export type CataloguedReading = ReadingRow

/** How a value stands to the catalogue's ranges: an implausible one is no measurement. */
export const bandOf = ({
  isOutside,
  isImplausible,
}: CataloguedReading): 'normal' | 'outside' | 'implausible' =>
  isImplausible ? 'implausible' : isOutside ? 'outside' : 'normal'

/** The value with the catalogue's decimals, else as it was reported. */
export function figureText({ value, decimals }: Pick<CataloguedReading, 'value' | 'decimals'>): string {
  return typeof value === 'number' && decimals !== null && decimals !== undefined
    ? value.toFixed(decimals)
    : String(value)
}
