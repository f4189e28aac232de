import { id as idOf } from '@voltkeep/contract/fields'
import { insertUser } from '@voltkeep/contract/users'
import * as z from 'zod/mini'
import { choices, isAnyChosen, nothingChosen } from '../permissions/permissions.entities.ts'
import { userTexts } from '../users.texts.ts'

const { fields } = userTexts

// The call defaults to the caller's own organization; the form shows the field and requires it.
export const AddForm = z
  .extend(z.omit(insertUser.input, { authorityEntities: true }), {
    organizationId: idOf(fields.organization),
    /** The user has to choose: access to all devices must not happen by an oversight. */
    sight: z.enum(['chosen', 'all']),
    ...choices,
  })
  .check(z.refine((form) => form.sight === 'all' || isAnyChosen(form), nothingChosen))

export type AddForm = typeof AddForm
