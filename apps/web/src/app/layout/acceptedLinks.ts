const storageKey = 'voltkeep_accepted_links'

/** The addresses of external links that the user has confirmed in this browser. */
function accepted(): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** A link with a new address has to be confirmed again. */
export const isAccepted = (address: string): boolean => accepted().includes(address)

export function accept(address: string): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify([...new Set([...accepted(), address])]))
  } catch {
    // Without storage the question comes each time.
  }
}
