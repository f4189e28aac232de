import { nothingChosenMessage } from '@voltkeep/contract/permissions'
import { authorityTypes } from '@voltkeep/contract/session'
import * as z from 'zod/mini'

/** What a form contains, by kind of entry. */
export type Chosen = Partial<Record<(typeof authorityTypes)[number], readonly string[]>>

const chosenIds = z.optional(z.array(z.string()))
/** The three fields of a form; on the wire the choices are entries of three kinds. */
export const choices = { ET: chosenIds, O: chosenIds, R: chosenIds }

export const isAnyChosen = ({ ET, O, R }: Chosen) =>
  [ET, O, R].some((one) => one !== undefined && one.length > 0)

/** Where a form says that nothing was chosen: under the first of the three; at once with the other fields' problems. */
export const nothingChosen = { error: nothingChosenMessage, path: ['ET'], when: () => true }

export const PermissionForm = z
  .object(choices)
  .check(z.refine((chosen) => isAnyChosen(chosen), nothingChosen))

/** The entries as they travel: none of a kind of which nothing was chosen. */
export function entitiesOf(chosen: Chosen) {
  return authorityTypes.flatMap((type) => {
    const value = [...(chosen[type] ?? [])]
    return value.length === 0 ? [] : [{ authorityType: type, type, value }]
  })
}
