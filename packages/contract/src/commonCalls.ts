import * as z from 'zod/mini'
import { file, nothing, one } from './endpoint.ts'
import { byId, idOut } from './fields.ts'

// What calls of one kind declare alike. A declaration spreads its kind first; what it then states itself goes before.

/** A write that answers no more than its success. */
export const changing = { method: 'POST', reply: nothing(), isWrite: true } as const

/** Adds a row, and answers its id. */
export const adding = {
  method: 'POST',
  reply: one(z.object({ id: idOut })),
  isWrite: true,
  done: '创建成功',
} as const

/**
 * What may need a second person: in place of the id of what was made comes the one of the approval that it waits for.
 * The type has `id` always: only an installation that asks for a second person answers `approvalId`, and whoever may
 * meet it looks at that first.
 */
export const madeOrAsked = {
  id: z.optional(idOut) as unknown as typeof idOut,
  approvalId: z.optional(idOut),
}

/** Adds a row, at once or when a second person has agreed. */
export const addingOrAsking = {
  method: 'POST',
  reply: one(z.object(madeOrAsked)),
  isWrite: true,
  done: '创建成功',
} as const

/** Deletes the row of an id. */
export const deleting = { ...changing, input: byId, done: '删除成功!' } as const

/** Adds a file for a form that is saved later. */
export const uploading = { method: 'POST', keepsFile: true, isWrite: true, done: '上传成功' } as const

/** An Excel file. */
export const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** All rows of a list as an Excel file. */
export const exporting = { method: 'GET', isExport: true, reply: file(spreadsheet) } as const
