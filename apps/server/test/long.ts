/**
 * What a test repeats to meet a fault by chance is repeated as often as the fault needs to be met; with `LONG=1`, by night
 * or by hand, as often as there is time for.
 */
export const isLong = process.env.LONG === '1'

/** So many in every run, so many in a long one. */
export const times = (short: number, long: number): number => (isLong ? long : short)
