import type { ReadingRow } from '@voltkeep/contract/readings'

/** A reading as the catalogue has it; what it does not know is absent or null. */
export type CataloguedReading = ReadingRow & {
  decimals?: number | null
  group?: string | null
  /** Out of the normal band; out of what can be at all. */
  isOutside?: boolean
  isImplausible?: boolean
}

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
