import type { Claims } from '../rules.rules.ts'

/** An app of a company at a provider. */
export interface Company {
  corpId: string
  clientId: string
  clientSecret: string
  /** Of the provider's servers; null: in its public cloud. */
  address: string | null
}

export interface Began {
  returnAddress: string
  state: string
  /** For a provider that has PKCE. */
  verifier: string
}

export interface CompanyKind {
  /** Where a browser goes. */
  authorizeAddress(company: Company, began: Began): string
  /**
   * Who has come back with this code. `isEnough`: whether the claims say all that is asked; else the provider is asked
   * for more. Rejects with `Stranger` for who is not of the company.
   */
  finish(
    company: Company,
    code: string,
    began: Omit<Began, 'state'>,
    isEnough: (claims: Claims) => boolean,
  ): Promise<{ subject: string; claims: Claims }>
}

export function withQuery(url: string, query: Record<string, string>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address.href
}
