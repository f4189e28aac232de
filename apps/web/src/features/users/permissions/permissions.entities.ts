import { nothingChosenMessage } from '@voltkeep/contract/permissions'
import { authorityTypes } from '@voltkeep/contract/session'
import * as z from 'zod/mini'

/** The chosen ids, by kind of entry. */
export type Chosen = Partial<Record<(typeof authorityTypes)[number], readonly string[]>>

const chosenIds = z.optional(z.array(z.string()))
/** The three form fields; the call has a list of entries of three kinds instead. */
export const choices = { ET: chosenIds, O: chosenIds, R: chosenIds }

export const isAnyChosen = ({ ET, O, R }: Chosen) =>
  [ET, O, R].some((one) => one !== undefined && one.length > 0)

/**
 * The problem of an empty choice, reported at the first of the three fields, together with the problems of other
 * fields.
 */
export const nothingChosen = { error: nothingChosenMessage, path: ['ET'], when: () => true }

export const PermissionForm = z
  .object(choices)
  .check(z.refine((chosen) => isAnyChosen(chosen), nothingChosen))

/** The entries of the call; kinds without a choice have none. */
export function entitiesOf(chosen: Chosen) {
  return authorityTypes.flatMap((type) => {
    const value = [...(chosen[type] ?? [])]
    return value.length === 0 ? [] : [{ authorityType: type, type, value }]
  })
}
