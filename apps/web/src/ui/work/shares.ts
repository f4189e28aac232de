/** What became of a device, whatever its noun calls the state. `open`: nothing has begun. */
export type Share = 'good' | 'failed' | 'underWay' | 'leftOut' | 'open'

/** The devices of a work as its progress bar shows them; the sum is their number. */
export type Shares = Readonly<Record<Share, number>>

/** Sums the counts of a noun's states by what became of the devices. */
export function sharesBy<State extends string>(shareOf: Readonly<Record<State, Share>>) {
  return (counts: Readonly<Record<State, number>>): Shares => {
    const shares = { good: 0, failed: 0, underWay: 0, leftOut: 0, open: 0 }
    for (const state of Object.keys(shareOf) as State[]) shares[shareOf[state]] += counts[state]
    return shares
  }
}

/** The number of devices without a result. */
export const openIn = ({ open, underWay }: Shares): number => open + underWay

/**
 * The result of work that is over: `finished` where nothing failed, `failed` where nothing succeeded, else `partly`.
 */
export function outcomeOf({
  good,
  failed,
}: Pick<Shares, 'good' | 'failed'>): 'finished' | 'partly' | 'failed' {
  if (failed === 0) return 'finished'
  return good === 0 ? 'failed' : 'partly'
}
