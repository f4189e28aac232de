// The neighbour: an ordinary user whose calls are timed during an attack, in its own process so that the attacker's
// work is not measured. It calls at a fixed pace, even before the last call has been answered: otherwise a server
// that stalls for a second would count as one slow call (coordinated omission).
export type NeighbourOrder =
  | { kind: 'begin'; url: string; path: string; token: string; everyMs: number }
  /** The figures since the last `look`. */
  | { kind: 'look' }
export interface NeighbourAnswer {
  latenciesMs: number[]
  failed: number
}

const limitMs = 10_000
let latenciesMs: number[] = []
let failed = 0

process.on('disconnect', () => process.exit(0))
process.on('message', (order: NeighbourOrder) => {
  if (order.kind === 'begin') {
    setInterval(() => void call(order), order.everyMs)
    return
  }
  process.send?.({ latenciesMs, failed } satisfies NeighbourAnswer)
  latenciesMs = []
  failed = 0
})

async function call({ url, path, token }: Extract<NeighbourOrder, { kind: 'begin' }>): Promise<void> {
  const beganAt = performance.now()
  try {
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization: token },
      signal: AbortSignal.timeout(limitMs),
    })
    await answer.arrayBuffer()
    if (answer.status !== 200) failed += 1
  } catch {
    failed += 1
  }
  latenciesMs.push(performance.now() - beganAt)
}
