/**
 * The result of work that is over: `finished` where nothing failed, `failed` where nothing succeeded, else `partly`.
 */
export function outcomeOf({
  good,
  failed,
}: {
  good: number
  failed: number
}): 'finished' | 'partly' | 'failed' {
  if (failed === 0) return 'finished'
  return good === 0 ? 'failed' : 'partly'
}
