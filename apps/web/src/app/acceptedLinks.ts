const storageKey = 'voltkeep_accepted_links'

/** The addresses of external links that were opened after a look at them, in this browser. */
function accepted(): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** A link that gets another address is asked about again. */
export const isAccepted = (address: string): boolean => accepted().includes(address)

export function accept(address: string): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify([...new Set([...accepted(), address])]))
  } catch {
    // Without a storage it is asked about each time.
  }
}
