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

/** Deletes the row of an id. */
export const deleting = { ...changing, input: byId, done: '删除成功!' } as const

/** Adds a file for a form that is saved later. */
export const uploading = { method: 'POST', keepsFile: true, isWrite: true, done: '上传成功' } as const

/** An Excel file. */
export const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** All rows of a list as an Excel file. */
export const exporting = { method: 'GET', isExport: true, reply: file(spreadsheet) } as const
