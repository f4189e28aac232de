import { authorityTypes } from '@voltkeep/contract/session'

/** What the dialog's form holds, by kind of entry. */
export type Chosen = Partial<Record<(typeof authorityTypes)[number], readonly string[]>>

/** The entries as they travel: none of a kind of which nothing was chosen. */
export function entitiesOf(chosen: Chosen) {
  return authorityTypes.flatMap((type) => {
    const value = [...(chosen[type] ?? [])]
    return value.length === 0 ? [] : [{ authorityType: type, type, value }]
  })
}
